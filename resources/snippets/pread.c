static void deliver(int fd, size_t size)
{
    char *buffer = malloc(@buffer@);
    if (buffer == NULL)
        fail("malloc");
    /* Every read says where: threads can share the descriptor, each with an offset of its own. */
    for (size_t at = 0, got; at < size; at += got) {
        got = read_at(fd, buffer, @buffer@, at);
        if (got == 0)
            break;
        consume(buffer, got);
    }
    free(buffer);
}
