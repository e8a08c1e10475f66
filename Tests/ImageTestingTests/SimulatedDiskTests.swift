import Foundation
import ImageCore
import ImageTesting
import Testing

@Suite("SimulatedDisk")
struct SimulatedDiskTests {
    @Test("contents, names and folders are lost without synchronization, each independently")
    func losesUnsynchronized() throws {
        let disk = SimulatedDisk()
        try disk.makeFolder("/a/b")
        try disk.synchronizeFolder("/")
        try disk.synchronizeFolder("/a")
        for (name, isSynchronized) in [("/a/b/1", true), ("/a/b/2", false)] {
            let file = try disk.create(name)
            try unsafe [UInt8](repeating: 7, count: 5).withUnsafeBytes { try unsafe disk.write($0, to: file) }
            if isSynchronized { try disk.synchronize(file) }
            disk.close(file)
        }
        #expect(disk.restarted(after: .everything).paths == [])
        #expect(disk.restarted(after: .nothing).byteCount == 10)
        try disk.synchronizeFolder("/a/b")
        let restarted = disk.restarted(after: .everything)
        #expect(try restarted.list("/a/b").map(\.byteCount).sorted() == [0, 5])
        #expect(disk.restarted(after: .contents).byteCount == 10)
        try disk.rename("/a/b/1", to: "/a/b/3")
        #expect(disk.restarted(after: .everything).paths.sorted() == ["/a/b/1", "/a/b/2"])
        try disk.makeFolder("/c/d")
        try disk.synchronizeFolder("/c")
        #expect(throws: FileSystemFailure.self) { try disk.restarted(after: .everything).list("/c") }
    }

    @Test("every call fails without power, and succeeds after a restart with another boot number")
    func power() throws {
        let disk = SimulatedDisk(powerCutAfter: 1)
        try disk.makeFolder("/a")
        #expect(disk.hasPower)
        #expect(throws: FileSystemFailure(call: "mkdir", code: EIO)) { try disk.makeFolder("/b") }
        #expect(!disk.hasPower)
        let restarted = disk.restarted(after: .nothing)
        #expect(try restarted.list("/").map(\.name) == ["a"])
        #expect(restarted.bootNumber() != disk.bootNumber())
    }
}
