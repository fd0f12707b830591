static void deliver(int fd, size_t size)
{
    size_t length = round_up(size, HUGE_PAGE);
    char *heap = malloc(size);
    if (heap == NULL)
        fail("malloc");
    size_t have = read_at(fd, heap, size, 0);
    /* Copied once more, into huge pages: the work then needs fewer TLB entries. */
    char *huge = map_huge(length);
    memcpy(huge, heap, have);
    free(heap);
    consume(huge, have);
    munmap(huge, length);
}
