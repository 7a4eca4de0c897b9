import Glibc

/// Descriptors 0, 1 and 2.
public enum StandardDescriptors {
  /// Opens `/dev/null` for those that the process was started without. The next socket or eventfd would get the number
  /// else, and be written what is meant for people.
  public static func openMissing() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // Gets `number`, the lowest that is free.
      _ = open("/dev/null", O_RDWR)
    }
  }
}
