static void deliver(int fd, size_t size)
{
    /* Everything is read first. In the study that was before the clock started: what it shows is the work
     * alone, the most that any way of reading can reach. */
?huge=yes    size_t length = round_up(size, HUGE_PAGE);
?huge=yes    char *memory = map_huge(length);
?huge=no    char *memory = malloc(size);
?huge=no    if (memory == NULL)
?huge=no        fail("malloc");
    consume(memory, read_at(fd, memory, size, 0));
?huge=yes    munmap(memory, length);
?huge=no    free(memory);
}
