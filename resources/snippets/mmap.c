static void deliver(int fd, size_t size)
{
?source!=mmap-populate    char *file = map_file(fd, size);
?how=advise    char *file = map_file(fd, size);
?how=advise    /* Maps every page now, reading what isn't cached (Linux 5.14): one call instead of faults. */
?how=advise    if (madvise(file, size, MADV_POPULATE_READ) != 0)
?how=advise        fail("madvise(MADV_POPULATE_READ)");
?how=map    /* MAP_POPULATE maps every page at once, reading what isn't cached: no faults later. */
?how=map    char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
?how=map    if (file == MAP_FAILED)
?how=map        fail("mmap");
?source=mmap    /* No advice: the kernel reads ahead as it finds out how the pages are touched. */
?source=mmap-sequential    /* More readahead, and pages that were passed may go first. Advice: failing is no error. */
?source=mmap-sequential    if (madvise(file, size, MADV_SEQUENTIAL) != 0)
?source=mmap-sequential        perror("madvise(MADV_SEQUENTIAL)");
?source=mmap-random    /* No readahead at all: every page that isn't cached is a read of its own. */
?source=mmap-random    if (madvise(file, size, MADV_RANDOM) != 0)
?source=mmap-random        perror("madvise(MADV_RANDOM)");
?source=mmap-hugepage    /* Huge mappings where kernel and filesystem have them for files; elsewhere nothing changes. */
?source=mmap-hugepage    if (madvise(file, size, MADV_HUGEPAGE) != 0)
?source=mmap-hugepage        perror("madvise(MADV_HUGEPAGE)");
?source=mmap-collapse    /* Puts what is cached into huge pages now (Linux 6.1); many filesystems refuse. */
?source=mmap-collapse    if (madvise(file, size, 25 /* MADV_COLLAPSE */) != 0)
?source=mmap-collapse        perror("madvise(MADV_COLLAPSE)");
?step=whole    /* Starts reading; one call reads at most the device's readahead (read_ahead_kb). */
?step=whole    if (madvise(file, size, MADV_WILLNEED) != 0)
?step=whole        perror("madvise(MADV_WILLNEED)");
?step=readahead    /* One call reads at most the device's readahead, @readahead@ bytes where this was measured. */
?step=readahead    const size_t step = @readahead@;
?step=readahead    for (size_t at = 0; at < size; at += step) {
?step=readahead        size_t next = at + step, length = size - at < step ? size - at : step;
?step=readahead        if (next < size && madvise(file + next, size - next < step ? size - next : step, MADV_WILLNEED) != 0)
?step=readahead            perror("madvise(MADV_WILLNEED)");
?step=readahead        consume(file + at, length);
?step=readahead    }
?step!=readahead    /* A page that can't be read is a SIGBUS here: so is a file that gets shorter meanwhile. */
?step!=readahead    consume(file, size);
    munmap(file, size);
}
