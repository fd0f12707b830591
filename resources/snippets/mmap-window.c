/* What can't be mapped is read. */
static void read_window(int fd, size_t at, size_t length)
{
    char *buffer = malloc(length);
    if (buffer == NULL)
        fail("malloc");
    consume(buffer, read_at(fd, buffer, length, at));
    free(buffer);
}

static void deliver(int fd, size_t size)
{
    /* A window is mapped, used and unmapped: resident memory stays at one window, whatever the file's size. */
    const size_t window = round_up(@window@, (size_t)sysconf(_SC_PAGESIZE));
?small=no    if (size < (size_t)1 << 20) { /* mapping costs more than a read or two */
?small=no        read_window(fd, 0, size);
?small=no        return;
?small=no    }
    for (size_t at = 0; at < size; at += window) {
        size_t length = size - at < window ? size - at : window;
        char *file = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, (off_t)at);
        if (file == MAP_FAILED) {
            read_window(fd, at, length);
            continue;
        }
?advice=sequential        if (madvise(file, length, MADV_SEQUENTIAL) != 0)
?advice=sequential            perror("madvise(MADV_SEQUENTIAL)");
?advice=willneed        if (madvise(file, length, MADV_WILLNEED) != 0)
?advice=willneed            perror("madvise(MADV_WILLNEED)");
?advice=populate        if (madvise(file, length, MADV_POPULATE_READ) != 0) /* Linux 5.14 */
?advice=populate            fail("madvise(MADV_POPULATE_READ)");
        consume(file, length);
        munmap(file, length);
    }
}
