static void deliver(int fd, size_t size)
{
    const size_t piece = (size_t)1 << 20;
    char *file = map_file(fd, size);
    pthread_t thread = start_prefetch(fd, file, size);
    for (size_t at = 0; at < size; at += piece) {
        consume(file + at, size - at < piece ? size - at : piece);
        used_up_to(at + piece);
    }
    pthread_join(thread, NULL);
    munmap(file, size);
}
