/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs: standard output, a device or pipe, or a file that appears under its name only when complete.
 *
 * Always true: a stream writes through output_write(), which stores the first error for the commit; a temporary name
 * is in pending[] before the file exists and until it is renamed or removed, and a signal handler reads only
 * pending[]. A file is never opened on descriptors 0 to 2. The current directory must not change while an output is
 * open. The writer of NAME.part has a lock on it, so a file without a lock was left by a process that has ended. Not
 * supported: fsync.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arena.h"
#include "diag.h"
#include "output.h"

#ifndef RENAME_NOREPLACE /* musl before 1.2.6 does not define it */
#define RENAME_NOREPLACE 1u
static int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}
#endif

#define BUFFER    (64u << 10)
#define N_PENDING 32 /* largest number of files that are written at the same time */

struct output_pending {
	_Atomic(pid_t) owner; /* process that may remove the file; 0: free slot; -1: being set */
	atomic_bool keep;     /* true if the file stays when the process ends */
	char tmp[PATH_MAX];   /* path of the temporary file */
};

static struct output_pending pending[N_PENDING];

/* List of open outputs. It keeps a leak checker from reporting them when an error ends the program. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct output *open_outputs;

struct output {
	struct output *next; /* next open output */
	FILE *stream;
	char *path;                  /* name of the output in messages */
	char *target;                /* final name; NULL: the output is written in place */
	struct output_pending *slot; /* entry of the temporary file */
	int fd;                      /* descriptor of the file */
	int error;                   /* errno of the first write that failed */
	bool force;                  /* whether an existing file may be replaced */
	bool part;                   /* true if the file is named NAME.part and locked until it is complete */
};

/* ---- removal ------------------------------------------------------------------------------ */

static void discard_pending_slot(struct output_pending *slot)
{
	if (atomic_load(&slot->owner) != getpid())
		return;
	if (!atomic_load(&slot->keep))
		unlink(slot->tmp);
	atomic_store(&slot->owner, 0);
}

void output_discard_all(void)
{
	int saved = errno;

	for (int i = 0; i < N_PENDING; i++)
		discard_pending_slot(&pending[i]);
	errno = saved;
}

static void remove_files_on_signal(int sig)
{
	output_discard_all();
	/* The handler was installed with SA_RESETHAND, so the default action follows when it returns. */
	raise(sig);
}

static void install_signal_handler(int sig)
{
	struct sigaction old, act = {.sa_handler = remove_files_on_signal, .sa_flags = (int)SA_RESETHAND};

	if (sigaction(sig, NULL, &old) || (old.sa_flags & SA_SIGINFO) || old.sa_handler != SIG_DFL)
		return;
	sigfillset(&act.sa_mask);
	sigaction(sig, &act, NULL);
}

static void ignore_size_signal(int sig) { (void)sig; }

/*
 * Makes writes beyond a file size limit fail instead of killing the process. A handler is used because a program that
 * is executed begins with the default action again.
 */
static void install_size_handler(void)
{
	struct sigaction old, act = {.sa_handler = ignore_size_signal, .sa_flags = SA_RESTART};

	if (!sigaction(SIGXFSZ, NULL, &old) && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &act, NULL);
}

/* Installs the handlers that remove temporary files. */
static void install_file_cleanup(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&done)) {
		atexit(output_discard_all);
		install_size_handler();
	}
	install_signal_handler(SIGINT);
	install_signal_handler(SIGTERM);
	install_signal_handler(SIGHUP);
	install_signal_handler(SIGPIPE);
}

static _Noreturn void die_of_broken_pipe(void)
{
	sigset_t set;

	output_discard_all();
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	_exit(EXIT_TROUBLE);
}

/* ---- the stream --------------------------------------------------------------------------- */

static ssize_t output_write(void *cookie, const char *buf, size_t n)
{
	struct output *o = cookie;
	size_t done = 0;

	/* After a failed write, later writes would leave a hole in the file. */
	if (o->error)
		return 0;
	while (done < n) {
		ssize_t put = write(o->fd, buf + done, n - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EPIPE)
			die_of_broken_pipe();
		if (put <= 0) {
			if (!o->error)
				o->error = put ? errno : EIO;
			return 0;
		}
		done += (size_t)put;
	}
	return (ssize_t)n;
}

static void open_stream(struct output *o)
{
	o->stream = fopencookie(o, "w", (cookie_io_functions_t){.write = output_write});
	if (!o->stream)
		die_errno_at((struct place){.file = o->path}, "cannot be written");
	setvbuf(o->stream, NULL, isatty(o->fd) ? _IOLBF : _IOFBF, BUFFER);
}

/* ---- opening ------------------------------------------------------------------------------ */

static struct output_pending *claim_pending_slot(void)
{
	for (int i = 0; i < N_PENDING; i++) {
		pid_t none = 0;

		if (atomic_compare_exchange_strong(&pending[i].owner, &none, -1))
			return &pending[i];
	}
	die("more than %d files are being written at one time", N_PENDING);
}

/* Sets tmp to ".NAME.PID.tmp" in the directory of target. Cuts a long NAME to fit NAME_MAX. */
static void name_temporary(char tmp[PATH_MAX], const char *target)
{
	const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
	int n = snprintf(
		tmp, PATH_MAX, "%.*s.%.200s.%ld.tmp", (int)(base - target), target, base, (long)getpid());

	if (n < 0 || n >= PATH_MAX)
		die_at((struct place){.file = target}, "file name too long");
}

void output_prepare_process(void)
{
	install_size_handler();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open() takes the lowest free number, which is fd. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
}

/* Needed in the library for trace-exec --run, whose program may close its standard descriptors at any time. */
static int move_above_standard_fds(int fd)
{
	int high;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return high;
}

static bool is_pending(const char *tmp)
{
	for (int i = 0; i < N_PENDING; i++) {
		if (atomic_load(&pending[i].owner) == getpid() && !strcmp(pending[i].tmp, tmp))
			return true;
	}
	return false;
}

static void open_temporary(struct output *o, const struct stat *old)
{
	struct output_pending *slot = claim_pending_slot();

	name_temporary(slot->tmp, o->target);
	if (is_pending(slot->tmp))
		die_at((struct place){.file = o->path}, "named for two outputs");
	/* A file with the id of this process that is not pending was left by a process that has ended. */
	unlink(slot->tmp);
	o->slot = slot;
	atomic_store(&slot->keep, false);
	atomic_store(&slot->owner, getpid());
	o->fd = move_above_standard_fds(open(slot->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
	if (o->fd < 0) {
		atomic_store(&slot->owner, 0);
		die_errno_at((struct place){.file = o->path}, "cannot be written");
	}
	if (old && fchmod(o->fd, old->st_mode & 0777))
		die_errno_at((struct place){.file = o->path}, "cannot be written");
}

/* Opens and locks the file. Returns false if another process renamed the file in between. */
static bool lock_part_file(struct output *o, const char *part)
{
	struct stat mine, there;

	o->fd = move_above_standard_fds(
		open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
	if (o->fd < 0 || fstat(o->fd, &mine))
		die_errno_at((struct place){.file = part}, "cannot be written");
	if (!S_ISREG(mine.st_mode))
		die_at((struct place){.file = part}, "is not a regular file");
	/* On a file system without locks, two runs that write the same name are not detected. */
	if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		die_at((struct place){.file = part}, "another run is writing it (use another name)");
	if (!stat(part, &there) && there.st_dev == mine.st_dev && there.st_ino == mine.st_ino)
		return true;
	close(o->fd);
	return false;
}

#define PART_SUFFIX ".part"

char *output_part_path(const char *path)
{
	struct stat st;
	char *target = !lstat(path, &st) && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
	const char *name = target ? target : path;
	char *part = xmalloc(strlen(name) + sizeof(PART_SUFFIX));

	strcpy(stpcpy(part, name), PART_SUFFIX);
	free(target);
	return part;
}

static void open_part(struct output *o, const struct stat *old, uint64_t keep)
{
	struct output_pending *slot = claim_pending_slot();
	struct stat st;
	int n = snprintf(slot->tmp, PATH_MAX, "%s" PART_SUFFIX, o->target);

	if (n < 0 || n >= PATH_MAX)
		die_at((struct place){.file = o->target}, "file name too long");
	if (is_pending(slot->tmp))
		die_at((struct place){.file = o->path}, "named for two outputs");
	while (!lock_part_file(o, slot->tmp))
		;
	if (fstat(o->fd, &st))
		die_errno_at((struct place){.file = slot->tmp}, "cannot be written");
	if ((uint64_t)st.st_size < keep)
		die_at((struct place){.file = slot->tmp}, "became shorter (expected %llu bytes)",
			(unsigned long long)keep);
	if (st.st_size && !keep)
		diag_warn((struct place){.file = diag_keep(slot->tmp)},
			"replacing the output of a run that did not finish");
	o->slot = slot;
	atomic_store(&slot->keep, false);
	atomic_store(&slot->owner, getpid());
	if (ftruncate(o->fd, (off_t)keep) || lseek(o->fd, 0, SEEK_END) < 0 ||
		(old && fchmod(o->fd, old->st_mode & 0777)))
		die_errno_at((struct place){.file = slot->tmp}, "cannot be written");
}

static _Noreturn void die_of_existing(const char *path)
{
	die_at((struct place){.file = path}, "exists already (-f replaces it)");
}

static void open_file(struct output *o, const char *path, uint64_t keep)
{
	struct stat st;
	bool exists = !stat(path, &st);
	size_t n = strlen(path);

	if (!n)
		die("the name of an output is empty");
	if (path[n - 1] == '/' || (exists && S_ISDIR(st.st_mode)))
		die_at((struct place){.file = path}, "is a directory (expected a file)");
	if (!exists && !lstat(path, &st))
		die_at((struct place){.file = path},
			"is a broken symbolic link (expected the name of a file)");
	if (exists && !S_ISREG(st.st_mode)) {
		o->fd = move_above_standard_fds(open(path, O_WRONLY | O_CLOEXEC));
		if (o->fd < 0)
			die_errno_at((struct place){.file = path}, "cannot be written");
		return;
	}
	if (exists && !o->force)
		die_of_existing(path);
	/* A symbolic link remains, and its target is replaced. */
	o->target = exists ? realpath(path, NULL) : xstrdup(path);
	if (!o->target)
		die_errno_at((struct place){.file = path}, "cannot be written");
	if (o->part)
		open_part(o, exists ? &st : NULL, keep);
	else
		open_temporary(o, exists ? &st : NULL);
}

void output_check_input(const char *output, const char *input)
{
	struct stat a, b;

	if (!output || !input || !strcmp(output, "-"))
		return;
	if (!stat(output, &a) && !stat(strcmp(input, "-") ? input : "/dev/stdin", &b) && S_ISREG(a.st_mode) &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		die_at((struct place){.file = output}, "the output is also an input");
}

static bool is_standard_output_open(void)
{
	bool found = false;

	pthread_mutex_lock(&open_lock);
	for (const struct output *o = open_outputs; o; o = o->next)
		found |= o->fd == STDOUT_FILENO;
	pthread_mutex_unlock(&open_lock);
	return found;
}

static struct output *open_output(const char *path, bool force, bool part, uint64_t keep)
{
	bool standard = !path || !strcmp(path, "-");
	struct output *o = xcalloc(1, sizeof(*o));

	install_file_cleanup();
	o->path = xstrdup(standard ? "<stdout>" : path);
	o->force = force;
	o->part = part;
	if (standard && is_standard_output_open())
		die("standard output is named for two outputs");
	if (standard) {
		fflush(stdout);
		o->fd = STDOUT_FILENO;
	} else {
		open_file(o, path, keep);
	}
	open_stream(o);
	pthread_mutex_lock(&open_lock);
	o->next = open_outputs;
	open_outputs = o;
	pthread_mutex_unlock(&open_lock);
	return o;
}

struct output *output_open(const char *path, bool force) { return open_output(path, force, false, 0); }

struct output *output_open_part(const char *path, bool force) { return open_output(path, force, true, 0); }

struct output *output_reopen_part(const char *path, uint64_t keep)
{
	return open_output(path, true, true, keep);
}

void output_truncate(struct output *o, uint64_t n)
{
	output_flush(o);
	if (o->part && ftruncate(o->fd, (off_t)n))
		die_errno_at((struct place){.file = o->path}, "cannot be written");
}

void output_keep_part(struct output *o)
{
	output_flush(o);
	if (o->slot && o->part)
		atomic_store(&o->slot->keep, true);
}

FILE *output_stream(struct output *o) { return o->stream; }

static const char *temporary_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

FILE *output_try_unnamed(void)
{
	char name[PATH_MAX];
	int n = snprintf(name, sizeof(name), "%s/warptools-XXXXXX", temporary_directory());
	int fd = n < (int)sizeof(name) ? mkostemp(name, O_CLOEXEC) : -1;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0)
		unlink(name);
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *output_open_unnamed(void)
{
	FILE *f = output_try_unnamed();

	if (!f)
		die_errno_at((struct place){.file = temporary_directory()}, "cannot create a temporary file");
	return f;
}

/* ---- closing ------------------------------------------------------------------------------ */

static void free_output(struct output *o)
{
	struct output **link = &open_outputs;

	pthread_mutex_lock(&open_lock);
	while (*link != o)
		link = &(*link)->next;
	*link = o->next;
	pthread_mutex_unlock(&open_lock);
	free(o->path);
	free(o->target);
	free(o);
}

/*
 * Closes the descriptor to get late errors. For standard output and locked files it closes a copy, because the number
 * of standard output must not become free, and a locked file must be renamed before its lock ends.
 */
static int close_descriptor(struct output *o)
{
	int fd = o->fd == STDOUT_FILENO || o->part ? dup(o->fd) : o->fd;

	return fd < 0 ? -1 : close(fd);
}

const char *output_flushed_path(struct output *o)
{
	return o->slot && !fflush(o->stream) && !o->error ? o->slot->tmp : NULL;
}

static int rename_to_final_name(const struct output *o)
{
	int rc;

	if (o->force)
		return rename(o->slot->tmp, o->target);
	rc = renameat2(AT_FDCWD, o->slot->tmp, AT_FDCWD, o->target, RENAME_NOREPLACE);
	/* On a file system without this flag, only the check at opening applies. */
	if (rc && (errno == EINVAL || errno == ENOSYS))
		rc = rename(o->slot->tmp, o->target);
	return rc;
}

void output_flush(struct output *o)
{
	if (fflush(o->stream) != EOF && !o->error)
		return;
	if (o->error)
		errno = o->error;
	die_errno_at((struct place){.file = o->path}, "cannot be written");
}

void output_commit(struct output *o)
{
	bool bad = fclose(o->stream) != 0;

	if (close_descriptor(o) && !o->error)
		o->error = errno;
	if (bad && !o->error)
		o->error = EIO;
	if (!o->error && o->slot && rename_to_final_name(o))
		o->error = errno;
	/* Another process can create the file during the run. */
	if (o->error == EEXIST)
		die_of_existing(o->path);
	if (o->error) {
		errno = o->error;
		die_errno_at((struct place){.file = o->path}, "cannot be written");
	}
	if (o->part && o->fd != STDOUT_FILENO)
		close(o->fd);
	if (o->slot)
		atomic_store(&o->slot->owner, 0);
	free_output(o);
}

void output_discard(struct output *o)
{
	if (!o)
		return;
	if (o->slot)
		discard_pending_slot(o->slot);
	fclose(o->stream);
	if (o->fd != STDOUT_FILENO)
		close(o->fd);
	free_output(o);
}

bool output_is_inside(const char *name)
{
	if (!*name || *name == '/')
		return false;
	for (const char *s = name; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
		if (!strncmp(s, "..", 2) && (s[2] == '/' || !s[2]))
			return false;
	return true;
}
