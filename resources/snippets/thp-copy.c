static void deliver(int fd, size_t size)
{
    const size_t huge_page = (size_t)2 << 20;
    size_t length = round_up(size, huge_page) + huge_page;
    char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("mmap");
    /* Aligned to 2 MiB, so that the kernel can use huge pages: no pool to reserve, and no promise either. */
    char *huge = (char *)round_up((size_t)memory, huge_page);
    if (madvise(huge, round_up(size, huge_page), MADV_HUGEPAGE) != 0)
        perror("madvise(MADV_HUGEPAGE)");
    consume(huge, read_at(fd, huge, size, 0));
    munmap(memory, length);
}
