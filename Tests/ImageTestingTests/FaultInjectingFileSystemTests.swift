import Foundation
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("FaultInjectingFileSystem")
struct FaultInjectingFileSystemTests {
    private let disk = SimulatedDisk()

    /// Makes `count` files of four bytes; tells the codes with which that failed.
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

    @Test("each occasion fails the calls that it names, counted from when it was set, and no others")
    func occasions() throws {
        for (occasion, expected) in [
            (FaultOccasion.always, [EROFS, EROFS, EROFS, EROFS]), (.call(2), [nil, EROFS, nil, nil]),
            (.from(3), [nil, nil, EROFS, EROFS]), (.every(2), [nil, EROFS, nil, EROFS]),
        ] as [(FaultOccasion, [Int32?])] {
            let files = FaultInjectingFileSystem(over: SimulatedDisk())
            _ = makeFiles(1, on: files)
            files.fail(occasion, of: [.create], with: EROFS)
            #expect(makeFiles(4, on: files) == expected, "\(occasion)")
            files.recover()
            #expect(makeFiles(2, on: files) == [nil, nil])
        }
    }

    @Test("faults by chance are the same for the same seed, and as many as told")
    func random() {
        func failures(seed: UInt64) -> [Int32?] {
            let files = FaultInjectingFileSystem(over: SimulatedDisk())
            files.fail(.random(share: 0.25, seed: seed), with: EIO)
            return makeFiles(400, on: files)
        }
        let first = failures(seed: 1)
        #expect(first == failures(seed: 1))
        #expect(first != failures(seed: 2))
        // Each makes three calls: 1 - 0.75³ of them fail, 231 in the mean.
        #expect(200...262 ~= first.count { $0 == EIO })
    }

    @Test("a write that fails in its second half leaves the first")
    func shortWrite() throws {
        let files = FaultInjectingFileSystem(over: disk)
        files.fail(.call(1), of: [.writeRest], with: ENOSPC)
        #expect(makeFiles(2, on: files) == [ENOSPC, nil])
        #expect(try disk.list("/").map(\.byteCount).sorted() == [2, 4])
    }

    @Test("the log names calls and what they are about, failed ones too")
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

    @Test("a script that names a call which never came is told, with what it named")
    func unmet() throws {
        let files = FaultInjectingFileSystem(over: disk)
        files.fail(.call(1), of: [.create], with: EMFILE)
        files.fail(.call(3), of: [.rename, .remove], with: EIO)
        _ = makeFiles(1, on: files)
        files.recover()
        let failure = #expect(throws: UnmetFaults.self) { try files.expectFaultsMet() }
        #expect(failure?.description == "no call met call(3) of remove, rename, which came 0 times")
    }

    @Test("who intercepts is told each call before it is made, and may fail it")
    func interception() throws {
        let told = Mutex<[FileSystemOperation]>([])
        let disk = disk
        let files = FaultInjectingFileSystem(over: disk) { call throws(FileSystemFailure) in
            told.withLock { $0.append(call.operation) }
            if call.operation == .create, disk.paths.count == 1 { throw FileSystemFailure(call: "open", code: EMFILE) }
        }
        #expect(makeFiles(2, on: files) == [nil, EMFILE])
        #expect(told.withLock { $0 } == [.create, .write, .writeRest, .create])
    }

    @Test("calls that refuse to wait refuse when told to, and are no calls then")
    func refusesAtOnce() throws {
        let files = FaultInjectingFileSystem(over: AtOnce(base: disk), refusesAtOnce: true)
        _ = makeFiles(1, on: files)
        let path = try #require(disk.paths.first)
        #expect(try files.openToReadAtOnce(path) == nil)
        #expect(files.log.count == 3)
        let willing = FaultInjectingFileSystem(over: AtOnce(base: disk))
        #expect(try willing.openToReadAtOnce(path) != nil)
        #expect(willing.log.map(\.operation) == [.openToReadAtOnce])
    }

    /// A disk whose files are always in memory.
    private struct AtOnce: ForwardingFileSystem {
        let base: any FileSystem

        func openToReadAtOnce(_ path: String) throws(FileSystemFailure) -> Int32? { try base.openToRead(path) }
    }
}
