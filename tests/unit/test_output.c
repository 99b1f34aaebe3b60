/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of output files: names, replacement, failures, signals. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "diag.h"
#include "output.h"
#include "tap.h"

static char folder[] = "/tmp/test_output.XXXXXX";

/* Returns the names of the files in the folder as one text, including temporary files. */
static const char *folder_listing(void)
{
	static char text[4096];
	char command[100];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "LC_ALL=C ls -A %s | tr '\\n' ' '", folder);
	f = popen(command, "r");
	if (!f)
		abort();
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	pclose(f);
	return text;
}

static const char *file_content(const char *name)
{
	static char text[4096];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return f ? text : "(none)";
}

static void write_text_file(const char *path, const char *text, bool force)
{
	struct output *o = output_open(path, force);

	fputs(text, output_stream(o));
	output_commit(o);
}

static void write_new(void *path) { write_text_file(path, "new\n", false); }
static void write_forced(void *path) { write_text_file(path, "forced\n", true); }

static void write_large_output(void *path)
{
	struct output *o = output_open(path, false);

	for (int i = 0; i < 100000; i++)
		fprintf(output_stream(o), "line %d\n", i);
	output_commit(o);
	fprintf(stderr, "still here\n");
}

static void exit_while_open(void *path)
{
	struct output *o = output_open(path, false);

	fputs("half", output_stream(o));
	fflush(output_stream(o));
	printf("%s", folder_listing());
	fflush(stdout);
	die("oh");
}

static void die_with_partial_output(void *path)
{
	struct output *o = output_open_part(path, false);

	fputs("lost", output_stream(o));
	fflush(output_stream(o));
	die("oh");
}

static void keep_partial_output(void *path)
{
	struct output *o = output_open_part(path, false);

	fputs("kept", output_stream(o));
	output_keep_part(o);
	fputs(" and more", output_stream(o));
	die("oh");
}

static void continue_partial_output(void *path)
{
	struct output *o = output_reopen_part(path, 4);

	fputs(", then", output_stream(o));
	output_keep_part(o);
	printf("%s", file_content("p.part"));
	output_truncate(o, 4);
	fflush(stdout);
	die("oh");
}

static void open_short_partial_output(void *path)
{
	output_reopen_part(path, 100);
	fprintf(stderr, "still here\n");
}

static void finish_partial_output(void *path)
{
	struct output *o = output_open_part(path, false);

	fputs("done", output_stream(o));
	output_keep_part(o);
	printf("%s", folder_listing());
	fflush(stdout);
	output_commit(o);
}

static void test_parts(void)
{
	char text[4096];
	struct output *o;

	is_number(in_child(die_with_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a part whose writer dies");
	is_text(folder_listing(), "", "leaves nothing before there is something to keep");
	is_number(in_child(keep_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"one that has something");
	is_text(folder_listing(), "p.part ", "stays");
	is_number(in_child(continue_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a writer that continues it");
	ok(strstr(text, "kept, then") && !strstr(text, "warning"), "keeps the bytes that it asks for");
	is_text(file_content("p.part"), "kept", "and takes back what it wrote");
	is_number(in_child(open_short_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"one that expects more bytes");
	ok(strstr(text, "p.part: became shorter (expected 100 bytes)"), "is refused");
	is_number(in_child(finish_partial_output, (char[]){"p"}, text, sizeof(text)), 0, "the next writer");
	ok(strstr(text, "p.part: warning: replacing the output of a run that did not finish"),
		"says what it found");
	ok(strstr(text, "p.part "), "has its part while it writes");
	is_text(folder_listing(), "p ", "and the name when it is complete");
	is_text(file_content("p"), "done", "with its own content alone");
	o = output_open_part("q", false);
	is_number(in_child(finish_partial_output, (char[]){"q"}, text, sizeof(text)), 2,
		"a part that another writes");
	ok(strstr(text, "q.part: another run is writing it"), "is refused");
	output_discard(o);
	ok(!symlink("p", "r.part"), "a link in its place");
	is_number(in_child(finish_partial_output, (char[]){"r"}, text, sizeof(text)), 2, "is not followed");
	unlink("r.part");
	unlink("p");
	is_text(folder_listing(), "", "nothing is left over");
}

static void open_name_twice(void *path)
{
	output_open(path, false);
	output_open(path, false);
}

static void test_files(void)
{
	char text[4096];
	struct output *o;
	struct stat st;

	umask(022);
	is_number(in_child(write_new, (char[]){"a"}, text, sizeof(text)), 0, "a new file");
	is_text(file_content("a"), "new\n", "has its content");
	stat("a", &st);
	is_number(st.st_mode & 0777, 0644, "and the mode of the umask");
	is_number(in_child(write_new, (char[]){"a"}, text, sizeof(text)), 2,
		"an existing file is not replaced");
	ok(strstr(text, "a: exists already, -f replaces it\n"), "and the message says what replaces it");
	chmod("a", 0600);
	is_number(in_child(write_forced, (char[]){"./a"}, text, sizeof(text)), 0, "unless forced");
	is_text(file_content("a"), "forced\n", "then it is");
	stat("a", &st);
	is_number(st.st_mode & 0777, 0600, "and keeps its mode");
	ok(!symlink("a", "link") && !in_child(write_forced, (char[]){"link"}, text, sizeof(text)), "a link");
	lstat("link", &st);
	ok(S_ISLNK(st.st_mode), "stays a link");
	is_number(in_child(write_new, (char[]){"."}, text, sizeof(text)), 2, "a folder is refused");
	is_number(in_child(write_new, (char[]){"no/x"}, text, sizeof(text)), 2, "a folder that is not there");
	ok(strstr(text, "no/x: cannot be written: No such file or directory"), "is named");
	is_number(in_child(write_new, (char[]){""}, text, sizeof(text)), 2, "no name");
	is_number(in_child(exit_while_open, (char[]){"b"}, text, sizeof(text)), 2, "a run that dies");
	ok(strstr(text, ".b.") && strstr(text, ".tmp"), "had a temporary file");
	is_number(
		in_child(open_name_twice, (char[]){"b"}, text, sizeof(text)), 2, "two outputs with one name");
	o = output_open("c", false);
	fputs("x", output_stream(o));
	output_discard(o);
	o = output_open("c", false);
	write_text_file("raced", "first", false);
	is_number(in_child(write_forced, (char[]){"raced"}, text, sizeof(text)), 0, "a child leaves");
	ok(strstr(folder_listing(), ".c.") != NULL, "without its parent's files");
	output_discard(o);
	is_text(folder_listing(), "a link raced ", "nothing is left over");
	is_number(in_child(write_new, (char[]){"/dev/null"}, text, sizeof(text)), 0,
		"a device is written in place");
	ok(!stat("/dev/null", &st) && S_ISCHR(st.st_mode), "and stays one");
}

static void replace_during_write(void *arg)
{
	struct output *o = output_open("late", false);

	(void)arg;
	close(open("late", O_CREAT | O_WRONLY, 0600));
	output_commit(o);
}

static void write_to_full_device(void *arg)
{
	int fd = open("/dev/full", O_WRONLY);

	dup2(fd, 1);
	write_large_output(arg);
}

static void write_to_closed(void *arg)
{
	close(1);
	write_large_output(arg);
}

static void write_past_limit(void *arg)
{
	struct rlimit limit = {4096, 4096};

	(void)arg;
	setrlimit(RLIMIT_FSIZE, &limit);
	write_large_output((char[]){"large"});
}

static void test_failures(void)
{
	char text[4096];

	is_number(in_child(write_to_full_device, NULL, text, sizeof(text)), 2, "a full disk");
	ok(strstr(text, "<stdout>: No space left on device\n") && !strstr(text, "still"), "is said");
	is_number(
		in_child(write_large_output, (char[]){"/dev/full"}, text, sizeof(text)), 2, "a full device");
	ok(strstr(text, "/dev/full: No space left on device\n"), "is said");
	is_number(in_child(write_past_limit, NULL, text, sizeof(text)), 2, "a file size limit");
	ok(strstr(text, "large: File too large\n"), "is said");
	is_number(in_child(write_to_closed, NULL, text, sizeof(text)), 2, "standard output is closed");
	ok(strstr(text, "<stdout>: Bad file descriptor\n"), "is said");
	is_number(in_child(replace_during_write, NULL, text, sizeof(text)), 2,
		"a file that appeared meanwhile");
	ok(strstr(text, "late: File exists\n"), "is not replaced");
	unlink("late");
	is_text(folder_listing(), "a link raced ", "nothing is left over");
}

/* ---- signals ------------------------------------------------------------------------------ */

static void write_broken_pipe(void *ignore)
{
	int ends[2];

	if (pipe(ends))
		abort();
	close(ends[0]);
	dup2(ends[1], 1);
	if (ignore)
		signal(SIGPIPE, SIG_IGN);
	output_open("p", false);
	write_large_output(NULL);
}

static void raise_signal(void *sig)
{
	write_forced((char[]){"done"});
	signal(*(int *)sig, SIG_DFL); /* the parent process may have set another action */
	output_open("k", false);
	output_open("l", false);
	if (!strstr(folder_listing(), ".k.") || !strstr(folder_listing(), ".l."))
		exit(3);
	raise(*(int *)sig);
	sleep(10);
}

static void on_signal(int sig)
{
	(void)sig;
	output_discard_all();
	_exit(7);
}

static void handle_own_signal(void *sig)
{
	signal(*(int *)sig, on_signal);
	output_open("k", false);
	raise(*(int *)sig);
}

static void ignore_signal(void *sig)
{
	signal(*(int *)sig, SIG_IGN);
	output_open("k", false);
	raise(*(int *)sig);
	exit(5);
}

static void test_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char text[4096];

	is_number(
		in_child(write_broken_pipe, NULL, text, sizeof(text)), 1000 + SIGPIPE, "a broken pipe kills");
	is_text(text, "", "quietly");
	is_number(in_child(write_broken_pipe, text, text, sizeof(text)), 1000 + SIGPIPE,
		"also where it was ignored");
	is_text(text, "", "quietly");
	for (size_t i = 0; i < 3; i++) {
		int sig = signals[i];

		is_number(in_child(raise_signal, &sig, text, sizeof(text)), 1000 + sig, "a signal kills");
		is_number(in_child(handle_own_signal, &sig, text, sizeof(text)), 7,
			"a program's own handler stays");
		is_number(in_child(ignore_signal, &sig, text, sizeof(text)), 5, "what is ignored stays so");
	}
	is_text(folder_listing(), "a done link raced ", "nothing is left over");
}

int main(void)
{
	char command[100];

	diag_init("test");
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	test_parts();
	test_files();
	test_failures();
	test_signals();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ok(!system(command), "cleaned up");
	return tap_done();
}
