import ImageCore

/// A file system under test. Files are given by their names in one folder, and contents are arrays.
struct FileSystemCheck: Sendable {
    let files: any FileSystem
    let folder: String

    init(_ fixture: FileSystemFixture) { (files, folder) = (fixture.fileSystem, fixture.folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func names(in folder: String) throws -> [String] { try files.list(folder).map(\.name).sorted() }

    /// Creates a file.
    func write(_ bytes: [UInt8], to name: String) throws {
        let file = try files.create(path(name))
        defer { files.close(file) }
        try append(bytes, to: file)
    }

    func update(_ name: String, _ change: (Int32) throws -> Void) throws {
        let file = try files.openToUpdate(path(name))
        defer { files.close(file) }
        try change(file)
    }

    func append(_ bytes: [UInt8], to file: Int32) throws {
        try unsafe bytes.withUnsafeBytes { bytes in try unsafe files.write(bytes, to: file) }
    }

    func append(_ bytes: [UInt8], _ more: [UInt8], to file: Int32) throws {
        try unsafe bytes.withUnsafeBytes { bytes in
            try unsafe more.withUnsafeBytes { more in
                try unsafe files.write(bytes, more, to: file)
            }
        }
    }

    func put(_ bytes: [UInt8], at offset: Int, in file: Int32) throws {
        try unsafe bytes.withUnsafeBytes { bytes in
            try unsafe files.write(bytes, to: file, at: offset)
        }
    }

    /// Reads up to `count` bytes of a file.
    func bytes(of file: Int32, _ count: Int = 100, at offset: Int = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try unsafe bytes.withUnsafeMutableBytes { buffer in
            try unsafe files.read(file, into: buffer, at: offset)
        }
        try ImageContractTesting.expect(0...count ~= found, "\(found) bytes were read into \(count)")
        return Array(bytes.prefix(found))
    }

    func bytesNonblocking(of file: Int32, _ count: Int) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try unsafe bytes.withUnsafeMutableBytes { buffer in
            try unsafe files.readNonblocking(file, into: buffer)
        }
        guard let found else { return nil }
        try ImageContractTesting.expect(0...count ~= found, "\(found) bytes were read into \(count)")
        return Array(bytes.prefix(found))
    }

    func openStatus(_ name: String) throws -> FileStatus {
        let file = try files.openToRead(path(name))
        defer { files.close(file) }
        return try files.status(of: file)
    }

    func detach(_ name: String, _ method: String) throws {
        guard method == "replaced" else { return try files.remove(path(name)) }
        try write([3], to: "other")
        try files.rename(path("other"), to: path(name))
        try files.remove(path(name))
    }

    /// The operations that fail for a missing name, with their descriptions.
    var operationsOnNames: [(String, (String) throws(FileSystemFailure) -> Void)] {
        [
            ("opening it", { path throws(FileSystemFailure) in files.close(try files.openToRead(path)) }),
            ("renaming it", { path throws(FileSystemFailure) in try files.rename(path, to: path + "0") }),
            ("removing it", { path throws(FileSystemFailure) in try files.remove(path) }),
            ("reading its status", { path throws(FileSystemFailure) in _ = try files.status(at: path) }),
            ("listing it", { path throws(FileSystemFailure) in _ = try files.list(path) }),
            ("creating a file in it", { path throws(FileSystemFailure) in files.close(try files.create(path + "/1")) }),
        ]
    }

    /// Throws `ContractViolation` unless an operation on the name "1" fails with `code`.
    func expectFailure(
        _ code: Int32, _ call: String, _ operation: (String) throws(FileSystemFailure) -> Void
    ) throws(ContractViolation) {
        do throws(FileSystemFailure) {
            try operation(path("1"))
        } catch {
            return try ImageContractTesting.expect(error.code == code, "\(call) fails with \(error), not with \(code)")
        }
        throw ContractViolation("\(call) succeeds")
    }

    /// Throws `ContractViolation` unless the contents of a file are `bytes`.
    func expect(_ name: String, contains bytes: [UInt8]) throws {
        let file = try files.openToRead(path(name))
        defer { files.close(file) }
        let found = try self.bytes(of: file)
        try ImageContractTesting.expect(found == bytes, "\(name) contains \(found), not \(bytes)")
        let length = try files.status(of: file).byteCount
        try ImageContractTesting.expect(length == bytes.count, "\(name) has \(length) bytes, not \(bytes.count)")
    }
}
