#include "app/view_session.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

abut_status view_read_options(const command_line *line, view_options *out, abut_error *err)
{
    int64_t port = 0;
    TRY(line_integer(line, "--port", 1, 65535, &port, err));
    out->port = (int)port;
    out->host = line_value(line, "--host");
    out->page = line_value(line, "--page");
    return ABUT_OK;
}

/* A browser that does not start is not an error: the address is on the screen. */
static void open_browser_at(const char *address)
{
    char *words[] = {"xdg-open", (char *)address, NULL};
    pid_t process;
    if (posix_spawnp(&process, "xdg-open", NULL, NULL, words, environ) != 0)
        fputs("xdg-open is not installed; open the address in a browser\n", stderr);
}

abut_status view_session_start(const view_options *options, bool open_browser, view_server **out,
                               abut_error *err)
{
    TRY(view_server_start(options, out, err));
    printf("view at %s\n", view_server_address(*out));
    if (view_server_is_open(*out))
        puts("other machines may read this run, unencrypted, if they know the address");
    fflush(stdout);
    if (open_browser) open_browser_at(view_server_address(*out));
    return ABUT_OK;
}

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void view_session_wait(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t blocked, before;
    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    /* Blocked until sigsuspend, so that a signal in between is not lost. */
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigdelset(&before, SIGINT);
    sigdelset(&before, SIGTERM);
    while (!interrupted) sigsuspend(&before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
