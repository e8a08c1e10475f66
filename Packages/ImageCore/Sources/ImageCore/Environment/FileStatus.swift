/// The status of a file.
public struct FileStatus: Sendable {
    /// Whether it is a regular file.
    public var isRegular: Bool
    /// The length in bytes.
    public var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    public var modified: Int64
    /// Identifies the file independently of its name.
    public var identity: FileIdentity
    /// False if the file was removed and is still open.
    public var hasName: Bool

    /// Creates the status of a file.
    public init(isRegular: Bool, byteCount: Int, modified: Int64, identity: FileIdentity, hasName: Bool) {
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
        self.identity = identity
        self.hasName = hasName
    }
}

/// Identifies a file: open files with equal identities are the same file.
public struct FileIdentity: Hashable, Sendable {
    /// The number of the device.
    public var device: UInt64
    /// The number of the file on its device (inode).
    public var file: UInt64

    /// Creates an identity from the numbers of the device and of the file on it.
    public init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }
}

/// A file in a directory listing.
public struct ListedFile: Sendable {
    /// The name without the path of the directory.
    public var name: String
    /// Whether it is a regular file.
    public var isRegular: Bool
    /// The length in bytes.
    public var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    public var modified: Int64

    /// Creates a listed file.
    public init(name: String, isRegular: Bool, byteCount: Int, modified: Int64) {
        self.name = name
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
    }
}

/// A failed call of the operating system.
public struct FileSystemFailure: Error, Hashable, Sendable {
    /// The name of the call, as in its manual page.
    public var call: String
    /// The value of errno.
    public var code: Int32

    /// Creates a failure of a system call.
    ///
    /// - Parameters:
    ///   - call: The name of the call.
    ///   - code: The value of `errno`.
    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}
