static void deliver(int fd, size_t size)
{
    /* One buffer, used again and again: it stays in the CPU's cache. */
    char *buffer = malloc(@buffer@);
    if (buffer == NULL)
        fail("malloc");
    (void)size;
    for (;;) {
        ssize_t got = read(fd, buffer, @buffer@);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail("read");
        if (got == 0)
            break;
        consume(buffer, (size_t)got);
    }
    free(buffer);
}
