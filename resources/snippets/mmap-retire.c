static void deliver(int fd, size_t size)
{
    const size_t piece = (size_t)1 << 20, trail = @trail@;
    size_t retired = 0;
    char *file = map_file(fd, size);
    /* Advice: where it isn't taken, nothing is lost. */
    if (madvise(file, size, MADV_SEQUENTIAL) != 0 || madvise(file, size, MADV_HUGEPAGE) != 0)
        perror("madvise");
    for (size_t at = 0; at < size; at += piece) {
        consume(file + at, size - at < piece ? size - at : piece);
        /* Unmaps what lies behind, so that resident memory stays at about the trail. */
        if (at >= retired + 2 * trail) {
            size_t length = (at - trail - retired) / piece * piece;
            if (length > 0 && madvise(file + retired, length, MADV_DONTNEED) != 0)
                fail("madvise(MADV_DONTNEED)");
            retired += length;
        }
    }
    munmap(file, size);
}
