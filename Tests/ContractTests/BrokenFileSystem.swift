import Foundation
import ImageCore
import ImageTesting
import Synchronization

/// A disk with one defect, named by the rule that it breaks.
final class BrokenFileSystem: ForwardingFileSystem {
    enum Defect: String, CaseIterable {
        case makesFolderOnce = "a folder is made with those above it, and making it again does no harm"
        case listsNoLengths = "a folder lists the files in it with their lengths, and no others"
        case overdrawn = "where there is a folder, the bytes that are left are no fewer than 0"
        case restarts = "the machine's number of start stays as long as it runs"
        case overwrites = "a file that is there is not created again"
        case removesNothing = "what is not there can't be opened, renamed, removed or looked at, and says so"
        case updatesFromNothing = "opening to update makes a file, and keeps what is in one"
        case keepsOlderName = "renaming takes the place of what had the name, and leaves no other"
        case namesTheRemoved = "what was renamed away or removed is read by who has it open, and has no name"
        case writesAtStart = "writes follow one another, in one part or in two"
        case cutsOffBehindWrites = "a write at a place changes what is there alone, and a gap before it is zeros"
        case readsOn = "reading stops at the end of the file, and says how much there was"
        case skipsAtOnce = "what can be had without waiting is the beginning of the file"
        case neverCutsOff = "truncating cuts off, or fills up with zeros"
        case forgetsTimes = "a file tells its length and the time that was set, open and by its name"
        case mixesUpFiles =
            "a file is the same one by whatever name and however often it is opened, and another than any other"
        case locksNothing = "a lock has one holder, until it is given up or its file is closed"
    }

    let base: any FileSystem = SimulatedDisk()
    private let defect: Defect
    private let starts = Mutex<UInt64>(0)

    init(_ defect: Defect) { self.defect = defect }

    func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? { try openToRead(path) }

    func readAtOnce(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemFailure) -> Int? {
        try unsafe base.read(file, into: buffer, at: defect == .skipsAtOnce ? 1 : 0)
    }

    func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        if defect == .overwrites, (try? base.status(at: path)) != nil { try base.remove(path) }
        return try base.create(path)
    }

    func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        let file = try base.openToUpdate(path)
        if defect == .updatesFromNothing { try base.truncate(file, to: 0) }
        return file
    }

    func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        var status = try base.status(of: file)
        if defect == .namesTheRemoved { status.hasName = true }
        if defect == .mixesUpFiles { status.identity = FileIdentity(device: 0, file: 0) }
        return status
    }

    func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        let count = try unsafe base.read(file, into: buffer, at: offset)
        return defect == .readsOn ? buffer.count : count
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        if defect == .writesAtStart { return try unsafe base.write(bytes, to: file, at: 0) }
        try unsafe base.write(bytes, to: file)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        if defect == .cutsOffBehindWrites { try base.truncate(file, to: offset) }
        try unsafe base.write(bytes, to: file, at: offset)
    }

    func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        if defect == .neverCutsOff, try base.status(of: file).byteCount > byteCount { return }
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
        if defect == .keepsOlderName { base.close(try base.create(path)) }
    }

    func remove(_ path: String) throws(FileSystemFailure) {
        do throws(FileSystemFailure) {
            try base.remove(path)
        } catch  where defect == .removesNothing {
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
        if defect == .listsNoLengths { for place in files.indices { files[place].byteCount = 0 } }
        return files
    }

    func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        defect == .overdrawn ? -1 : try base.availableBytes(at: path)
    }

    func bootNumber() -> UInt64 {
        if defect != .restarts { return base.bootNumber() }
        return starts.withLock { starts in
            starts += 1
            return starts
        }
    }
}
