/*
 * What the launcher needs of libc and of Linux, written out: it is compiled in memory where no
 * headers are. Numbers are those of x86-64 and arm64, which agree but for three.
 */
typedef unsigned long size_t;
typedef long ssize_t;
typedef unsigned char byte;
typedef unsigned int uint;

int accept4(int, void *, uint *, int);
int bind(int, const void *, uint);
int chdir(const char *);
int chmod(const char *, uint);
int close(int);
int dup2(int, int);
int execve(const char *, char *const *, char *const *);
int access(const char *, int);
int fchown(int, uint, uint);
int fcntl(int, int, ...);
int fork(void);
int ftruncate(int, long);
int getpid(void);
int kill(int, int);
int listen(int, int);
int open(const char *, int, ...);
int pipe2(int *, int);
int poll(void *, unsigned long, int);
int snprintf(char *, size_t, const char *, ...);
int socket(int, int, int);
int unlink(const char *);
int vfork(void);
int waitpid(int, int *, int);
int clock_gettime(int, void *);
int sigprocmask(int, const void *, void *);
int setsid(void);
int *__errno_location(void);
long lseek(int, long, int);
long syscall(long, ...);
ssize_t pread(int, void *, size_t, long);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t send(int, const void *, size_t, int);
long strtol(const char *, char **, int);
int memcmp(const void *, const void *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
size_t strlen(const char *);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *mmap(void *, size_t, int, int, int, long);
int munmap(void *, size_t);
void _exit(int);
void (*signal(int, void (*)(int)))(int);

#define NULL ((void *)0)
#define errno (*__errno_location())

enum {
  oRdwr = 2, oWronly = 1, oCreat = 0100, oExcl = 0200, oAppend = 02000, oCloexec = 02000000,
  oNonblock = 04000,
  sockCloexec = 02000000, sockNonblock = 04000, afUnix = 1, sockStream = 1,
  pollIn = 1, pollOut = 4, pollErr = 8, pollHup = 16, msgNosignal = 0x4000,
  eNoent = 2, eIntr = 4, e2big = 7, eNoexec = 8, eAgain = 11, eNomem = 12, eAcces = 13,
  eNotdir = 20, eMfile = 24, eTxtbsy = 26, eSrch = 3, eLoop = 40,
  sigHup = 1, sigInt = 2, sigKill = 9, sigPipe = 13, sigTerm = 15, sigChld = 17, signalsMax = 31,
  sigSetmask = 2, wNohang = 1, clockMonotonic = 1, clockRealtime = 0, seekEnd = 2, seekSet = 0, setDescriptorFlags = 2,
  sysCloseRange = 436, pathBytesMax = 4096,
};
#ifdef __aarch64__
enum { sysGetdents64 = 61, sysStatx = 291, oDirectory = 040000, oTmpfile = 020040000 };
#else
enum { sysGetdents64 = 217, sysStatx = 332, oDirectory = 0200000, oTmpfile = 020200000 };
#endif

struct pollEntry { int fd; short events; short revents; };
struct timeSpec { long seconds; long nanoseconds; };
struct socketAddress { unsigned short family; char path[108]; };
/** Signals as libc keeps them, with room to spare. */
struct signalSet { unsigned long bits[16]; };

static long nowMicros(void) {
  struct timeSpec now;
  clock_gettime(clockMonotonic, &now);
  return now.seconds * 1000000 + now.nanoseconds / 1000;
}

static long nowMs(void) { return nowMicros() / 1000; }
