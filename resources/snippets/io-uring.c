#define DEPTH @depth@
#define BUFFER ((size_t)@buffer@)

static void submit(struct io_uring *ring, int fd, struct iovec *buffers, size_t slot, size_t at)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(ring);
    if (entry == NULL)
        fail("io_uring_get_sqe");
    io_uring_prep_read_fixed(entry, fd, buffers[slot].iov_base, BUFFER, at, (int)slot);
    io_uring_sqe_set_data(entry, (void *)(uintptr_t)slot);
    if ((errno = -io_uring_submit(ring)) > 0)
        fail("io_uring_submit");
}

static void deliver(int fd, size_t size)
{
    struct io_uring ring;
    struct iovec buffers[DEPTH];
    int done[DEPTH];
    size_t got[DEPTH];
    int input = fd;
?direct=yes    char path[64];
?direct=yes    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
?direct=yes    if ((input = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT)) < 0)
?direct=yes        fail("open with O_DIRECT");
    /* ENOSYS or EPERM here: the kernel has no io_uring, or sysctl kernel.io_uring_disabled or seccomp forbids it. */
    if ((errno = -io_uring_queue_init(DEPTH, &ring, 0)) > 0)
        fail("io_uring_queue_init");
    for (size_t slot = 0; slot < DEPTH; ++slot) {
        buffers[slot].iov_len = BUFFER;
        if (posix_memalign(&buffers[slot].iov_base, 4096, BUFFER) != 0)
            fail("posix_memalign");
    }
    /* Registered once, so that the kernel needn't pin them for every read. */
    if ((errno = -io_uring_register_buffers(&ring, buffers, DEPTH)) > 0)
        fail("io_uring_register_buffers");
    size_t asked = 0, count = (size + BUFFER - 1) / BUFFER;
    for (; asked < count && asked < DEPTH; ++asked) {
        done[asked] = 0;
        submit(&ring, input, buffers, asked, asked * BUFFER);
    }
    for (size_t next = 0; next < count; ++next) {
        size_t slot = next % DEPTH, length = size - next * BUFFER < BUFFER ? size - next * BUFFER : BUFFER;
        while (!done[slot]) { /* reads end in any order; they are used in the file's */
            struct io_uring_cqe *entry;
            errno = -io_uring_wait_cqe(&ring, &entry);
            if (errno == EINTR)
                continue;
            if (errno > 0)
                fail("io_uring_wait_cqe");
            size_t ended = (size_t)(uintptr_t)io_uring_cqe_get_data(entry);
            if ((errno = entry->res < 0 ? -entry->res : 0) > 0)
                fail("read");
            got[ended] = (size_t)entry->res;
            done[ended] = 1;
            io_uring_cqe_seen(&ring, entry);
        }
        if (got[slot] < length) /* a short read: the rest in the plain way */
            got[slot] += read_at(fd, (char *)buffers[slot].iov_base + got[slot], length - got[slot],
                                 next * BUFFER + got[slot]);
        consume(buffers[slot].iov_base, got[slot] < length ? got[slot] : length);
        if (asked < count) {
            done[slot] = 0;
            submit(&ring, input, buffers, slot, asked++ * BUFFER);
        }
    }
    io_uring_queue_exit(&ring);
    for (size_t slot = 0; slot < DEPTH; ++slot)
        free(buffers[slot].iov_base);
?direct=yes    close(input);
}
