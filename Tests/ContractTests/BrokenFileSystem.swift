import Foundation
import ImageCore
import ImageTesting
import Synchronization

/// A disk that breaks one rule, which is the raw value of its defect.
final class BrokenFileSystem: ForwardingFileSystem {
    enum Defect: String, CaseIterable {
        case makesFolderOnce = "making a folder also makes its parents, and making it again has no effect"
        case listsNoLengths = "listing a folder returns the files in it with their lengths, and no others"
        case hasNegativeSpace = "the available space of an existing folder is not negative"
        case restarts = "the boot number does not change while the machine runs"
        case overwrites = "creating a file that exists fails, and the file keeps its contents"
        case ignoresMissingNames = "every operation on a missing name fails with ENOENT"
        case truncatesUpdatedFiles = "opening a file for updating creates it, or keeps its contents"
        case keepsOldName = "renaming a file replaces the one with the new name, and removes the old name"
        case namesRemovedFiles = "a replaced or removed file is readable as long as it is open, and has no name"
        case writesAtStart = "each write appends to the last one, with one buffer or two"
        case truncatesAfterWrites =
            "a write at an offset changes only the bytes there, and fills a gap before it with zeros"
        case readsTooMuch = "reading stops at the end of the file and returns the number of bytes"
        case skipsFirstByte = "reading without blocking returns the beginning of the file, if anything"
        case neverShortens = "truncating shortens a file, or extends it with zeros"
        case forgetsTimes = "the status of a file has its length and the time that was set, by handle and by path"
        case confusesFiles =
            "the identity of a file survives renaming and differs from that of any other file"
        case locksNothing = "a lock has one holder until it is unlocked or its file is closed"
    }

    let base: any FileSystem = SimulatedDisk()
    private let defect: Defect
    private let starts = Mutex<UInt64>(0)

    init(_ defect: Defect) { self.defect = defect }

    func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? { try openToRead(path) }

    func readNonblocking(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int? {
        try unsafe base.read(file, into: buffer, at: defect == .skipsFirstByte ? 1 : 0)
    }

    func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        if defect == .overwrites, (try? base.status(at: path)) != nil { try base.remove(path) }
        return try base.create(path)
    }

    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        let file = try base.openToUpdate(path)
        if defect == .truncatesUpdatedFiles { try base.truncate(file, to: 0) }
        return file
    }

    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        var status = try base.status(of: file)
        if defect == .namesRemovedFiles { status.hasName = true }
        if defect == .confusesFiles { status.identity = FileIdentity(device: 0, file: 0) }
        return status
    }

    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        let count = try unsafe base.read(file, into: buffer, at: offset)
        return defect == .readsTooMuch ? buffer.count : count
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        if defect == .writesAtStart { return try unsafe base.write(bytes, to: file, at: 0) }
        try unsafe base.write(bytes, to: file)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        if defect == .truncatesAfterWrites { try base.truncate(file, to: offset) }
        try unsafe base.write(bytes, to: file, at: offset)
    }

    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        if defect == .neverShortens, try base.status(of: file).byteCount > byteCount { return }
        try base.truncate(file, to: byteCount)
    }

    func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        if defect != .forgetsTimes { try base.setModified(nanoseconds, of: file) }
    }

    func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        let isLocked = try base.lock(file)
        return isLocked || defect == .locksNothing
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try base.rename(path, to: newPath)
        if defect == .keepsOldName { base.close(try base.create(path)) }
    }

    func remove(_ path: String) throws(FileSystemFailure) {
        do throws(FileSystemFailure) {
            try base.remove(path)
        } catch  where defect == .ignoresMissingNames {
            return
        }
    }

    func makeFolder(_ path: String) throws(FileSystemFailure) {
        if defect == .makesFolderOnce, (try? base.list(path)) != nil {
            throw FileSystemFailure(call: "mkdir", code: EEXIST)
        }
        try base.makeFolder(path)
    }

    func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        var files = try base.list(path)
        if defect == .listsNoLengths { for index in files.indices { files[index].byteCount = 0 } }
        return files
    }

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        defect == .hasNegativeSpace ? -1 : try base.availableBytes(at: path)
    }

    func bootNumber() -> UInt64 {
        if defect != .restarts { return base.bootNumber() }
        return starts.withLock { starts in
            starts += 1
            return starts
        }
    }
}
