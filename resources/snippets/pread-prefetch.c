static void deliver(int fd, size_t size)
{
    char *buffer = malloc(@buffer@);
    if (buffer == NULL)
        fail("malloc");
    pthread_t thread = start_prefetch(fd, NULL, size);
    for (size_t at = 0, got; at < size; at += got) {
        got = read_at(fd, buffer, @buffer@, at);
        if (got == 0)
            break;
        consume(buffer, got);
        used_up_to(at + got);
    }
    used_up_to(size); /* also where the file became shorter: the other thread must not wait */
    pthread_join(thread, NULL);
    free(buffer);
}
