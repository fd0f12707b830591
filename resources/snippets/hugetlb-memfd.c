static void deliver(int fd, size_t size)
{
    size_t length = round_up(size, HUGE_PAGE);
    /* A file in memory, of 2 MiB pages from the pool: the real file is read straight into it. */
    int memory = memfd_create("reader", MFD_CLOEXEC | MFD_HUGETLB | (21U << 26 /* MFD_HUGE_2MB */));
    if (memory < 0 || ftruncate(memory, (off_t)length) != 0)
        fail("memfd_create of huge pages");
    char *huge = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (huge == MAP_FAILED)
        fail("mmap of huge pages (are enough reserved? sysctl vm.nr_hugepages)");
    consume(huge, read_at(fd, huge, size, 0));
    munmap(huge, length);
    close(memory);
}
