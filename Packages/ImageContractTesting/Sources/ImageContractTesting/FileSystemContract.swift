public import ImageCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file system, and a folder on it for a rule to use.
public struct FileSystemFixture: Sendable {
    public let fileSystem: any FileSystem
    /// Not there yet, and neither need be those above it.
    public let folder: String

    public init(fileSystem: any FileSystem, folder: String) {
        self.fileSystem = fileSystem
        self.folder = folder
    }
}

/// What every file system promises to who keeps files on it.
///
/// What only the outside could bring about has no rule: symbolic links, which are not followed; a lock that is waited for; what is left
/// after a power cut.
public enum FileSystemContract {
    public typealias Subject = @Sendable () async throws -> FileSystemFixture

    public static var rules: [ContractRule<Subject>] { names + contents + handles + places }

    private static func rule(
        _ name: String, _ body: @escaping @Sendable (FileSystemCheck) throws -> Void
    ) -> ContractRule<Subject> {
        ContractRule(name) { makeFixture in
            let check = FileSystemCheck(try await makeFixture())
            do {
                try check.files.makeFolder(check.folder)
                try body(check)
            } catch let failure as FileSystemFailure {
                throw ContractViolation("it failed: \(failure)")
            }
        }
    }

    private static var places: [ContractRule<Subject>] {
        [
            rule("a folder is made with those above it, and making it again does no harm") { disk in
                let inner = disk.path("a/b")
                for _ in 1...2 { try disk.files.makeFolder(inner) }
                try disk.write([1], to: "a/b/1")
                try expect(try disk.names(in: inner) == ["1"], "the folder does not hold what was made in it")
                try expect(try disk.names(in: disk.path("a")) == ["b"], "the folder above does not list the folder")
            },
            rule("a folder lists the files in it with their lengths, and no others") { disk in
                try disk.files.makeFolder(disk.path("sub"))
                try disk.write([1, 2, 3], to: "1")
                try disk.write([1], to: "sub/2")
                let listed = try disk.files.list(disk.folder).sorted { $0.name < $1.name }
                try expect(listed.map(\.name) == ["1", "sub"], "it lists \(listed.map(\.name))")
                try expect(listed.map(\.isRegular) == [true, false], "what is a file is told wrongly")
                try expect(listed[0].byteCount == 3, "the length is told as \(listed[0].byteCount)")
            },
            rule("where there is a folder, the bytes that are left are no fewer than 0") { disk in
                let count = try disk.files.availableBytes(at: disk.folder)
                try expect(count >= 0, "\(count) bytes are left")
            },
            rule("the machine's number of start stays as long as it runs") { disk in
                let numbers = Set((0..<3).map { _ in disk.files.bootNumber() })
                try expect(numbers.count == 1, "it was \(numbers)")
            },
        ]
    }

    private static var names: [ContractRule<Subject>] {
        [
            rule("a file that is there is not created again") { disk in
                try disk.write([1], to: "1")
                try disk.expectFailure(EEXIST, "creating it") { path throws(FileSystemFailure) in
                    disk.files.close(try disk.files.create(path))
                }
                try disk.expect("1", holds: [1])
            },
            rule("what is not there can't be opened, renamed, removed or looked at, and says so") { disk in
                for (call, use) in disk.usesOfNames {
                    try disk.expectFailure(ENOENT, call, use)
                }
                try expect(try disk.names(in: disk.folder) == [], "something is there now")
            },
            rule("opening to update makes a file, and keeps what is in one") { disk in
                disk.files.close(try disk.files.openToUpdate(disk.path("1")))
                try disk.expect("1", holds: [])
                try disk.write([1, 2], to: "2")
                disk.files.close(try disk.files.openToUpdate(disk.path("2")))
                try disk.expect("2", holds: [1, 2])
            },
            rule("renaming takes the place of what had the name, and leaves no other") { disk in
                try disk.write([1], to: "1")
                try disk.write([2, 2], to: "2")
                try disk.files.rename(disk.path("1"), to: disk.path("2"))
                try disk.expect("2", holds: [1])
                try expect(try disk.names(in: disk.folder) == ["2"], "the older name is there still")
            },
            rule("what was renamed away or removed is read by who has it open, and has no name") { disk in
                for way in ["replaced", "removed"] {
                    try disk.write([1, 2], to: "1")
                    let file = try disk.files.openToRead(disk.path("1"))
                    defer { disk.files.close(file) }
                    try disk.takeAway("1", way)
                    try expect(try disk.bytes(of: file) == [1, 2], "who has it open reads something else, \(way)")
                    try expect(!(try disk.files.status(of: file).hasName), "it still has a name, \(way)")
                }
            },
        ]
    }

    private static var contents: [ContractRule<Subject>] {
        [
            rule("writes follow one another, in one part or in two") { disk in
                let file = try disk.files.create(disk.path("1"))
                defer { disk.files.close(file) }
                try disk.append([1, 2], to: file)
                try disk.append([3], [4, 5], to: file)
                try disk.append([6], to: file)
                try disk.expect("1", holds: [1, 2, 3, 4, 5, 6])
            },
            rule("a write at a place changes what is there alone, and a gap before it is zeros") { disk in
                try disk.write([1, 2, 3, 4], to: "1")
                try disk.update("1") { file in try disk.put([9, 9], at: 1, in: file) }
                try disk.expect("1", holds: [1, 9, 9, 4])
                try disk.update("1") { file in try disk.put([7], at: 6, in: file) }
                try disk.expect("1", holds: [1, 9, 9, 4, 0, 0, 7])
            },
            rule("reading stops at the end of the file, and says how much there was") { disk in
                try disk.write([1, 2, 3], to: "1")
                let file = try disk.files.openToRead(disk.path("1"))
                defer { disk.files.close(file) }
                try expect(try disk.bytes(of: file, 2, at: 0) == [1, 2], "the first two bytes")
                try expect(try disk.bytes(of: file, 9, at: 1) == [2, 3], "nine from the second on")
                try expect(try disk.bytes(of: file, 9, at: 5) == [], "behind the end")
            },
            rule("what can be had without waiting is the beginning of the file") { disk in
                try disk.write([1, 2, 3], to: "1")
                guard let file = try disk.files.openToReadAtOnce(disk.path("1")) else { return }
                defer { disk.files.close(file) }
                guard let bytes = try disk.bytesAtOnce(of: file, 9) else { return }
                try expect([1, 2, 3].starts(with: bytes), "it is \(bytes)")
            },
            rule("truncating cuts off, or fills up with zeros") { disk in
                try disk.write([1, 2, 3], to: "1")
                try disk.update("1") { file in try disk.files.truncate(file, to: 1) }
                try disk.expect("1", holds: [1])
                try disk.update("1") { file in try disk.files.truncate(file, to: 3) }
                try disk.expect("1", holds: [1, 0, 0])
            },
        ]
    }

    private static var handles: [ContractRule<Subject>] {
        [
            rule("a file tells its length and the time that was set, open and by its name") { disk in
                try disk.write([1, 2, 3], to: "1")
                let time: Int64 = 1_700_000_000_000_000_000
                try disk.update("1") { file in
                    try disk.files.setModified(time, of: file)
                    try disk.files.synchronize(file)
                }
                try disk.files.synchronizeFolder(disk.folder)
                let status = [try disk.files.status(at: disk.path("1")), try disk.openStatus("1")]
                try expect(status.allSatisfy { $0.isRegular && $0.byteCount == 3 }, "the length is another")
                try expect(status.allSatisfy { $0.modified == time }, "the time is another")
            },
            rule("a file is the same one by whatever name and however often it is opened, and another than any other") {
                disk in
                try disk.write([1], to: "1")
                try disk.write([1], to: "2")
                let (first, second) = (try disk.openStatus("1").identity, try disk.openStatus("2").identity)
                try expect(first != second, "two files pass for one")
                try disk.files.rename(disk.path("1"), to: disk.path("3"))
                try expect(try disk.openStatus("3").identity == first, "after renaming it passes for another")
            },
            rule("a lock has one holder, until it is given up or its file is closed") { disk in
                try disk.write([1], to: "1")
                let holder = try disk.files.openToUpdate(disk.path("1"))
                let other = try disk.files.openToUpdate(disk.path("1"))
                defer { disk.files.close(other) }
                try disk.files.waitForLock(holder)
                try expect(!(try disk.files.lock(other)), "two hold it")
                disk.files.unlock(holder)
                try expect(try disk.files.lock(other), "nobody gets it after it was given up")
                disk.files.unlock(other)
                try expect(try disk.files.lock(holder), "it can't be taken again")
                disk.files.close(holder)
                try expect(try disk.files.lock(other), "nobody gets it after its file was closed")
            },
        ]
    }
}
