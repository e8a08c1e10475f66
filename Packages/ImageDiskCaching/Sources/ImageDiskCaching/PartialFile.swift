import ImageCore

/// An entry that is being written to a file in `tmp`, whose name is random.
///
/// The writer of a streamed entry locks the file, so that a file which isn't locked is the leftover of a process that has
/// ended. The length of the file is the space that is reserved for it. A whole entry is written in one lock of the folder.
///
/// On Apple's platforms it is not locked, because the system ends an app that is suspended while it has locked a file in
/// the container of an app group (0xdead10cc). There, a file is a leftover an hour after the last write.
struct PartialFile {
    /// The time after the last write at which a part is a leftover; nil if writers lock their parts.
    static var leftoverAge: Duration? {
        #if canImport(ImageIO)
            .seconds(3_600)
        #else
            nil
        #endif
    }

    let name: EntryName
    let file: Int32
    let path: String
    /// The number of bytes that are counted as in use.
    var reserved = 0
    var payloadLength = 0
    var checksum = EntryChecksum()
}
