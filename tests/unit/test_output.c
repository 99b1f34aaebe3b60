/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of output files: names, replacement, failures, signals. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "diag.h"
#include "output.h"
#include "tap.h"

static char directory[] = "/tmp/test_output.XXXXXX";

/* Returns the names of the files in the directory as one text, including temporary files. */
static const char *directory_listing(void)
{
	static char text[4096];
	char command[100];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "LC_ALL=C ls -A %s | tr '\\n' ' '", directory);
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
	printf("%s", directory_listing());
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
	printf("%s", directory_listing());
	fflush(stdout);
	output_commit(o);
}

static void test_parts(void)
{
	char text[4096];
	struct output *o;

	is_number(in_child(die_with_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a writer of a partial file that dies exits with status 2");
	is_text(directory_listing(), "",
		"a partial file is removed if its writer dies before it keeps a part");
	is_number(in_child(keep_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a writer that dies after it has kept a part exits with status 2");
	is_text(directory_listing(), "p.part ", "a kept part stays in the directory when its writer dies");
	is_number(in_child(continue_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a writer that continues a kept part and dies exits with status 2");
	ok(strstr(text, "kept, then") && !strstr(text, "warning"),
		"a continued part begins with the kept bytes, without a warning");
	is_text(file_content("p.part"), "kept", "output_truncate() removes what the second writer wrote");
	is_number(in_child(open_short_partial_output, (char[]){"p"}, text, sizeof(text)), 2,
		"a writer that expects more kept bytes than exist exits with status 2");
	ok(strstr(text, "p.part: error: became shorter (expected 100 bytes)"),
		"a kept part that is too short is reported with the expected size");
	is_number(in_child(finish_partial_output, (char[]){"p"}, text, sizeof(text)), 0,
		"a new writer of the same output exits with status 0");
	ok(strstr(text, "p.part: warning: replacing the output of a run that did not finish"),
		"a new writer warns that it replaces an unfinished output");
	ok(strstr(text, "p.part "), "the partial file exists while the new writer writes");
	is_text(directory_listing(), "p ", "a complete output has its own name, without a partial file");
	is_text(file_content("p"), "done", "a complete output has only the content of the new writer");
	o = output_open_part("q", false);
	is_number(in_child(finish_partial_output, (char[]){"q"}, text, sizeof(text)), 2,
		"a writer exits with status 2 if another run writes the same output");
	ok(strstr(text, "q.part: error: another run is writing it"),
		"a partial file that another run writes is reported");
	output_discard(o);
	ok(!symlink("p", "r.part"), "a symbolic link with the name of a partial file is made");
	is_number(in_child(finish_partial_output, (char[]){"r"}, text, sizeof(text)), 2,
		"a symbolic link with the name of a partial file is not followed");
	unlink("r.part");
	unlink("p");
	is_text(directory_listing(), "", "the directory is empty after the tests of partial files");
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
	is_number(in_child(write_new, (char[]){"a"}, text, sizeof(text)), 0,
		"writing a new file exits with status 0");
	is_text(file_content("a"), "new\n", "a new file has its content");
	stat("a", &st);
	is_number(st.st_mode & 0777, 0644, "a new file has the mode that the umask gives");
	is_number(in_child(write_new, (char[]){"a"}, text, sizeof(text)), 2,
		"an existing file is not replaced");
	ok(strstr(text, "a: error: exists already (-f replaces it)\n"),
		"the message about an existing file names the option -f");
	chmod("a", 0600);
	is_number(in_child(write_forced, (char[]){"./a"}, text, sizeof(text)), 0,
		"-f replaces an existing file with status 0");
	is_text(file_content("a"), "forced\n", "a file that -f replaced has the new content");
	stat("a", &st);
	is_number(st.st_mode & 0777, 0600, "a file that -f replaced keeps its mode");
	ok(!symlink("a", "link") && !in_child(write_forced, (char[]){"link"}, text, sizeof(text)),
		"writing through a symbolic link exits with status 0");
	lstat("link", &st);
	ok(S_ISLNK(st.st_mode), "a symbolic link stays a link when its file is replaced");
	is_number(in_child(write_new, (char[]){"."}, text, sizeof(text)), 2,
		"an output whose name is a directory is rejected");
	is_number(in_child(write_new, (char[]){"no/x"}, text, sizeof(text)), 2,
		"an output in a missing directory is rejected");
	ok(strstr(text, "no/x: error: cannot be written: No such file or directory"),
		"an output in a missing directory is reported with its name");
	is_number(in_child(write_new, (char[]){""}, text, sizeof(text)), 2,
		"an output with an empty name is rejected");
	is_number(in_child(exit_while_open, (char[]){"b"}, text, sizeof(text)), 2,
		"a run that dies with an open output exits with status 2");
	ok(strstr(text, ".b.") && strstr(text, ".tmp"), "an open output has a temporary file");
	is_number(in_child(open_name_twice, (char[]){"b"}, text, sizeof(text)), 2,
		"two outputs with one name are rejected");
	o = output_open("c", false);
	fputs("x", output_stream(o));
	output_discard(o);
	o = output_open("c", false);
	write_text_file("raced", "first", false);
	is_number(in_child(write_forced, (char[]){"raced"}, text, sizeof(text)), 0,
		"a child process that writes an output of its own exits with status 0");
	ok(strstr(directory_listing(), ".c.") != NULL,
		"a child process does not remove the temporary file of its parent");
	output_discard(o);
	is_text(directory_listing(), "a link raced ",
		"only complete files are left after the tests of files");
	is_number(in_child(write_new, (char[]){"/dev/null"}, text, sizeof(text)), 0,
		"writing to a device exits with status 0");
	ok(!stat("/dev/null", &st) && S_ISCHR(st.st_mode), "/dev/null stays a device when it is written");
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

	is_number(in_child(write_to_full_device, NULL, text, sizeof(text)), 2,
		"standard output on a full disk gives exit status 2");
	ok(strstr(text, "<stdout>: error: cannot be written: No space left on device\n") &&
			!strstr(text, "still"),
		"a failed write to standard output is reported");
	is_number(in_child(write_large_output, (char[]){"/dev/full"}, text, sizeof(text)), 2,
		"a full device as output gives exit status 2");
	ok(strstr(text, "/dev/full: error: cannot be written: No space left on device\n"),
		"a full device as output is reported with its name");
	is_number(in_child(write_past_limit, NULL, text, sizeof(text)), 2,
		"a file size limit gives exit status 2");
	ok(strstr(text, "large: error: cannot be written: File too large\n"),
		"a file size limit is reported with the file's name");
	is_number(in_child(write_to_closed, NULL, text, sizeof(text)), 2,
		"a closed standard output gives exit status 2");
	ok(strstr(text, "<stdout>: error: cannot be written: Bad file descriptor\n"),
		"a closed standard output is reported");
	is_number(in_child(replace_during_write, NULL, text, sizeof(text)), 2,
		"a file of the same name that appears during the run gives status 2");
	ok(strstr(text, "late: error: exists already (-f replaces it)\n"),
		"a file that appears during the run is not replaced, and is reported");
	unlink("late");
	is_text(directory_listing(), "a link raced ", "failed outputs leave no files");
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
	if (!strstr(directory_listing(), ".k.") || !strstr(directory_listing(), ".l."))
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

	is_number(in_child(write_broken_pipe, NULL, text, sizeof(text)), 1000 + SIGPIPE,
		"a broken pipe ends the program by SIGPIPE");
	is_text(text, "", "a broken pipe prints nothing");
	is_number(in_child(write_broken_pipe, text, text, sizeof(text)), 1000 + SIGPIPE,
		"a broken pipe ends the program even if SIGPIPE was ignored");
	is_text(text, "", "a broken pipe prints nothing if SIGPIPE was ignored");
	for (size_t i = 0; i < 3; i++) {
		int sig = signals[i];

		is_number(in_child(raise_signal, &sig, text, sizeof(text)), 1000 + sig,
			"a signal ends a program that has open outputs");
		is_number(in_child(handle_own_signal, &sig, text, sizeof(text)), 7,
			"a program's own signal handler is kept");
		is_number(in_child(ignore_signal, &sig, text, sizeof(text)), 5,
			"an ignored signal stays ignored");
	}
	is_text(directory_listing(), "a done link raced ", "signals leave no temporary files");
}

int main(void)
{
	char command[100];

	diag_init("test");
	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	test_parts();
	test_files();
	test_failures();
	test_signals();
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	ok(!system(command), "the directory of the test is removed");
	return tap_done();
}
