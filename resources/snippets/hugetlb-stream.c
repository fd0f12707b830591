static void deliver(int fd, size_t size)
{
    const size_t window = round_up(@window@, HUGE_PAGE);
    char *file = map_file(fd, size);
    /* A scratch of huge pages, filled again and again: a few pages of the pool serve a file of any size. */
    char *scratch = map_huge(window);
    for (size_t at = 0; at < size; at += window) {
        size_t length = size - at < window ? size - at : window;
        memcpy(scratch, file + at, length);
        consume(scratch, length);
    }
    munmap(scratch, window);
    munmap(file, size);
}
