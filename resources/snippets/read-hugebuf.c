static void deliver(int fd, size_t size)
{
    /* The buffer is of huge pages; the file's own pages stay as they are. */
    size_t length = round_up(@buffer@, HUGE_PAGE);
    char *buffer = map_huge(length);
?positional=yes    for (size_t at = 0, got; at < size; at += got) {
?positional=yes        got = read_at(fd, buffer, @buffer@, at);
?positional=yes        if (got == 0)
?positional=yes            break;
?positional=yes        consume(buffer, got);
?positional=yes    }
?positional=no    (void)size;
?positional=no    for (;;) {
?positional=no        ssize_t got = read(fd, buffer, @buffer@);
?positional=no        if (got < 0 && errno == EINTR)
?positional=no            continue;
?positional=no        if (got < 0)
?positional=no            fail("read");
?positional=no        if (got == 0)
?positional=no            break;
?positional=no        consume(buffer, (size_t)got);
?positional=no    }
    munmap(buffer, length);
}
