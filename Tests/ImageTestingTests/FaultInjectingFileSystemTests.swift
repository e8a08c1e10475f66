import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("FaultInjectingFileSystem")
struct FaultInjectingFileSystemTests {
    private let disk = SimulatedDisk()

    /// Creates `count` files of four bytes. Returns the error code of each, or nil for success.
    private func makeFiles(_ count: Int, on files: FaultInjectingFileSystem) -> [Int32?] {
        (0..<count).map { number in
            do {
                let file = try files.create("/\(number)-\(files.log.count)")
                defer { files.close(file) }
                try unsafe ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { try unsafe files.write($0, to: file) }
                return nil
            } catch {
                return (error as? FileSystemFailure)?.code
            }
        }
    }

    @Test("a trigger only makes its calls fail, counted from when the fault was injected")
    func triggers() throws {
        for (trigger, expected) in [
            (FaultTrigger.always, [EROFS, EROFS, EROFS, EROFS]), (.call(2), [nil, EROFS, nil, nil]),
            (.from(3), [nil, nil, EROFS, EROFS]), (.every(2), [nil, EROFS, nil, EROFS]),
        ] as [(FaultTrigger, [Int32?])] {
            let files = FaultInjectingFileSystem(over: SimulatedDisk())
            _ = makeFiles(1, on: files)
            files.fail(trigger, of: [.create], with: EROFS)
            #expect(makeFiles(4, on: files) == expected, "\(trigger)")
            files.recover()
            #expect(makeFiles(2, on: files) == [nil, nil])
        }
    }

    @Test("random faults are the same for the same seed, and have the given share")
    func random() {
        func failures(seed: UInt64) -> [Int32?] {
            let files = FaultInjectingFileSystem(over: SimulatedDisk())
            files.fail(.random(share: 0.25, seed: seed), with: EIO)
            return makeFiles(400, on: files)
        }
        let first = failures(seed: 1)
        #expect(first == failures(seed: 1))
        #expect(first != failures(seed: 2))
        // Each file needs three calls, so a share of 1 - 0.75³ fails: 231 on average.
        #expect(200...262 ~= first.count { $0 == EIO })
    }

    @Test("a write that fails in its second half writes the first half")
    func shortWrite() throws {
        let files = FaultInjectingFileSystem(over: disk)
        files.fail(.call(1), of: [.writeRest], with: ENOSPC)
        #expect(makeFiles(2, on: files) == [ENOSPC, nil])
        #expect(try disk.list("/").map(\.byteCount).sorted() == [2, 4])
    }

    @Test("the log has the operation and the path of each call, including failed ones")
    func log() {
        let files = FaultInjectingFileSystem(over: disk)
        files.fail(.call(1), of: [.writeRest], with: ENOSPC)
        _ = makeFiles(1, on: files)
        #expect(throws: FileSystemFailure(call: "unlink", code: ENOENT)) { try files.remove("/absent") }
        #expect(
            files.log.map(\.description) == [
                "create of /0-0, call 1", "write of /0-0, call 2", "writeRest of /0-0, call 3",
                "remove of /absent, call 4",
            ])
    }

    @Test("a fault that never occurs throws an error with its description")
    func unused() throws {
        let files = FaultInjectingFileSystem(over: disk)
        files.fail(.call(1), of: [.create], with: EMFILE)
        files.fail(.call(3), of: [.rename, .remove], with: EIO)
        _ = makeFiles(1, on: files)
        files.recover()
        let failure = #expect(throws: UnusedFaults.self) { try files.expectAllFaultsUsed() }
        #expect(failure?.description == "unused faults: call(3) of remove, rename, called 0 times")
    }

    @Test("the interception is called before each call and can make it fail")
    func interception() throws {
        let calls = Mutex<[FileSystemOperation]>([])
        let disk = disk
        let files = FaultInjectingFileSystem(over: disk) { call throws(FileSystemFailure) in
            calls.withLock { $0.append(call.operation) }
            if call.operation == .create, disk.paths.count == 1 { throw FileSystemFailure(call: "open", code: EMFILE) }
        }
        #expect(makeFiles(2, on: files) == [nil, EMFILE])
        #expect(calls.withLock { $0 } == [.create, .write, .writeRest, .create])
    }

    @Test("refused nonblocking calls return nil and are not logged")
    func refusesNonblocking() throws {
        let files = FaultInjectingFileSystem(over: InMemoryDisk(base: disk), refusesNonblocking: true)
        _ = makeFiles(1, on: files)
        let path = try #require(disk.paths.first)
        #expect(try files.openToReadNonblocking(path) == nil)
        #expect(files.log.count == 3)
        let other = FaultInjectingFileSystem(over: InMemoryDisk(base: disk))
        #expect(try other.openToReadNonblocking(path) != nil)
        #expect(other.log.map(\.operation) == [.openToReadNonblocking])
    }

    /// A disk whose files are always in memory.
    private struct InMemoryDisk: ForwardingFileSystem {
        let base: any FileSystem

        func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? { try base.openToRead(path) }
    }
}
