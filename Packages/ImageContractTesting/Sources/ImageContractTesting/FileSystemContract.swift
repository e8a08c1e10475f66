public import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file system, and a folder for a rule.
public struct FileSystemFixture: Sendable {
    /// The file system under test.
    public let fileSystem: any FileSystem
    /// The path of a folder that doesn't exist. Its parents don't have to exist either.
    public let folder: String

    /// Creates a fixture.
    public init(fileSystem: any FileSystem, folder: String) {
        self.fileSystem = fileSystem
        self.folder = folder
    }
}

/// The contract of `FileSystem`.
///
/// It has no rules about symbolic links, which are not followed, waiting for a lock, or power cuts.
public enum FileSystemContract {
    /// Makes a file system and the path of a folder that doesn't exist.
    public typealias Subject = @Sendable () async throws -> FileSystemFixture

    /// All rules.
    public static var rules: [ContractRule<Subject>] { names + contents + handles + folders }

    private static func rule(
        _ name: String, _ body: @escaping @Sendable (FileSystemCheck) throws -> Void
    ) -> ContractRule<Subject> {
        ContractRule(name) { makeFixture in
            let check = FileSystemCheck(try await makeFixture())
            do {
                try check.files.makeFolder(check.folder)
                try body(check)
            } catch let failure as FileSystemFailure {
                throw ContractViolation("a call failed: \(failure)")
            }
        }
    }

    private static var folders: [ContractRule<Subject>] {
        [
            rule("making a folder also makes its parents, and making it again has no effect") { disk in
                let inner = disk.path("a/b")
                for _ in 1...2 { try disk.files.makeFolder(inner) }
                try disk.write([1], to: "a/b/1")
                try expect(try disk.names(in: inner) == ["1"], "the folder does not list the file in it")
                try expect(try disk.names(in: disk.path("a")) == ["b"], "the parent does not list the folder")
            },
            rule("listing a folder returns the files in it with their lengths, and no others") { disk in
                try disk.files.makeFolder(disk.path("sub"))
                try disk.write([1, 2, 3], to: "1")
                try disk.write([1], to: "sub/2")
                let listed = try disk.files.list(disk.folder).sorted { $0.name < $1.name }
                try expect(listed.map(\.name) == ["1", "sub"], "the folder lists \(listed.map(\.name))")
                try expect(
                    listed.map(\.isRegular) == [true, false],
                    "files and folders are listed as \(listed.map(\.isRegular))")
                try expect(listed[0].byteCount == 3, "the length is listed as \(listed[0].byteCount)")
            },
            rule("the available space of an existing folder is not negative") { disk in
                let count = try disk.files.availableBytes(at: disk.folder)
                try expect(count >= 0, "\(count) bytes are available")
            },
            rule("the boot number does not change while the machine runs") { disk in
                let numbers = Set((0..<3).map { _ in disk.files.bootNumber() })
                try expect(numbers.count == 1, "the numbers are \(numbers)")
            },
        ]
    }

    private static var names: [ContractRule<Subject>] {
        [
            rule("creating a file that exists fails, and the file keeps its contents") { disk in
                try disk.write([1], to: "1")
                try disk.expectFailure(EEXIST, "creating it") { path throws(FileSystemFailure) in
                    disk.files.close(try disk.files.create(path))
                }
                try disk.expect("1", contains: [1])
            },
            rule("every operation on a missing name fails with ENOENT") { disk in
                for (call, operation) in disk.operationsOnNames {
                    try disk.expectFailure(ENOENT, call, operation)
                }
                try expect(try disk.names(in: disk.folder) == [], "the folder is not empty")
            },
            rule("opening a file for updating creates it, or keeps its contents") { disk in
                disk.files.close(try disk.files.openToUpdate(disk.path("1")))
                try disk.expect("1", contains: [])
                try disk.write([1, 2], to: "2")
                disk.files.close(try disk.files.openToUpdate(disk.path("2")))
                try disk.expect("2", contains: [1, 2])
            },
            rule("renaming a file replaces the one with the new name, and removes the old name") { disk in
                try disk.write([1], to: "1")
                try disk.write([2, 2], to: "2")
                try disk.files.rename(disk.path("1"), to: disk.path("2"))
                try disk.expect("2", contains: [1])
                try expect(try disk.names(in: disk.folder) == ["2"], "the older name is there still")
            },
            rule("a replaced or removed file is readable as long as it is open, and has no name") { disk in
                for method in ["replaced", "removed"] {
                    try disk.write([1, 2], to: "1")
                    let file = try disk.files.openToRead(disk.path("1"))
                    defer { disk.files.close(file) }
                    try disk.detach("1", method)
                    try expect(
                        try disk.bytes(of: file) == [1, 2], "the open file has other contents after it was \(method)")
                    try expect(!(try disk.files.status(of: file).hasName), "the file has a name after it was \(method)")
                }
            },
        ]
    }

    private static var contents: [ContractRule<Subject>] {
        [
            rule("each write appends to the last one, with one buffer or two") { disk in
                let file = try disk.files.create(disk.path("1"))
                defer { disk.files.close(file) }
                try disk.append([1, 2], to: file)
                try disk.append([3], [4, 5], to: file)
                try disk.append([6], to: file)
                try disk.expect("1", contains: [1, 2, 3, 4, 5, 6])
            },
            rule("a write at an offset changes only the bytes there, and fills a gap before it with zeros") { disk in
                try disk.write([1, 2, 3, 4], to: "1")
                try disk.update("1") { file in try disk.put([9, 9], at: 1, in: file) }
                try disk.expect("1", contains: [1, 9, 9, 4])
                try disk.update("1") { file in try disk.put([7], at: 6, in: file) }
                try disk.expect("1", contains: [1, 9, 9, 4, 0, 0, 7])
            },
            rule("reading stops at the end of the file and returns the number of bytes") { disk in
                try disk.write([1, 2, 3], to: "1")
                let file = try disk.files.openToRead(disk.path("1"))
                defer { disk.files.close(file) }
                try expect(try disk.bytes(of: file, 2, at: 0) == [1, 2], "the first two bytes")
                try expect(try disk.bytes(of: file, 9, at: 1) == [2, 3], "nine bytes from the second")
                try expect(try disk.bytes(of: file, 9, at: 5) == [], "after the end")
            },
            rule("reading without blocking returns the beginning of the file, if anything") { disk in
                try disk.write([1, 2, 3], to: "1")
                guard let file = try disk.files.openToReadNonblocking(disk.path("1")) else { return }
                defer { disk.files.close(file) }
                guard let bytes = try disk.bytesNonblocking(of: file, 9) else { return }
                try expect([1, 2, 3].starts(with: bytes), "the bytes are \(bytes)")
            },
            rule("truncating shortens a file, or extends it with zeros") { disk in
                try disk.write([1, 2, 3], to: "1")
                try disk.update("1") { file in try disk.files.truncate(file, to: 1) }
                try disk.expect("1", contains: [1])
                try disk.update("1") { file in try disk.files.truncate(file, to: 3) }
                try disk.expect("1", contains: [1, 0, 0])
            },
        ]
    }

    private static var handles: [ContractRule<Subject>] {
        [
            rule("the status of a file has its length and the time that was set, by handle and by path") { disk in
                try disk.write([1, 2, 3], to: "1")
                let time: Int64 = 1_700_000_000_000_000_000
                try disk.update("1") { file in
                    try disk.files.setModified(time, of: file)
                    try disk.files.synchronize(file)
                }
                try disk.files.synchronizeFolder(disk.folder)
                let status = [try disk.files.status(at: disk.path("1")), try disk.openStatus("1")]
                try expect(status.allSatisfy { $0.isRegular && $0.byteCount == 3 }, "the length is wrong")
                try expect(status.allSatisfy { $0.modified == time }, "the time is wrong")
            },
            rule("the identity of a file survives renaming and differs from that of any other file") {
                disk in
                try disk.write([1], to: "1")
                try disk.write([1], to: "2")
                let (first, second) = (try disk.openStatus("1").identity, try disk.openStatus("2").identity)
                try expect(first != second, "two files have the same identity")
                try disk.files.rename(disk.path("1"), to: disk.path("3"))
                try expect(try disk.openStatus("3").identity == first, "the identity is different after renaming")
            },
            rule("a lock has one holder until it is unlocked or its file is closed") { disk in
                try disk.write([1], to: "1")
                let holder = try disk.files.openToUpdate(disk.path("1"))
                let other = try disk.files.openToUpdate(disk.path("1"))
                defer { disk.files.close(other) }
                try disk.files.waitForLock(holder)
                try expect(!(try disk.files.lock(other)), "two handles hold the lock")
                disk.files.unlock(holder)
                try expect(try disk.files.lock(other), "it can't be locked after it was unlocked")
                disk.files.unlock(other)
                try expect(try disk.files.lock(holder), "it can't be locked again")
                disk.files.close(holder)
                try expect(try disk.files.lock(other), "it can't be locked after its file was closed")
            },
        ]
    }
}
