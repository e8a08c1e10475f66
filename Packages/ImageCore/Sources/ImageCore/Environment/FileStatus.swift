/// What a `FileSystem` tells about a file.
public struct FileStatus: Sendable {
    public var isRegular: Bool
    public var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    public var modified: Int64
    /// Which file it is, whatever its name.
    public var identity: FileIdentity
    /// False when it was removed and is only open still.
    public var hasName: Bool

    public init(isRegular: Bool, byteCount: Int, modified: Int64, identity: FileIdentity, hasName: Bool) {
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
        self.identity = identity
        self.hasName = hasName
    }
}

/// The numbers of a device and of a file on it: two open files with the same ones are the same.
public struct FileIdentity: Hashable, Sendable {
    public var device: UInt64
    public var file: UInt64

    public init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }
}

/// One name in a folder.
public struct ListedFile: Sendable {
    public var name: String
    public var isRegular: Bool
    public var byteCount: Int
    /// The time of the last modification, in nanoseconds since 1970.
    public var modified: Int64

    public init(name: String, isRegular: Bool, byteCount: Int, modified: Int64) {
        self.name = name
        self.isRegular = isRegular
        self.byteCount = byteCount
        self.modified = modified
    }
}

/// A call that the operating system refused.
public struct FileSystemFailure: Error, Hashable, Sendable {
    /// The call's name, as in its manual page.
    public var call: String
    /// The value of errno.
    public var code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }
}
