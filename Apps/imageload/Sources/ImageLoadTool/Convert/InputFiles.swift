import ArgumentParser
import Foundation
import ImageCore

/// A file to work on.
struct InputFile: Hashable, Sendable {
    /// The path by which to read it.
    var path: String
    /// The path within the folder that was given, or the name of a file that was given itself.
    var relativePath: String

    /// The path without links.
    var realPath: String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    /// Returns the result of `estimate` for the bytes of the file, or 0 if it can't be read, or only once.
    func byteCount(_ estimate: (Data) -> Int) -> Int {
        if InputFiles.isStream(path) { return 0 }
        return (try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)).map(estimate) ?? 0
    }
}

/// The files that the arguments of a subcommand name: files, folders with all images in them, and patterns.
struct InputFiles: Sendable {
    private(set) var files: [InputFile] = []
    /// The arguments and folders that can't be read.
    private(set) var failures: [ToolFailure] = []
    private let excluded: String?

    /// - Parameter excluded: A folder that is left out, because the results are written to it.
    init(_ arguments: [String], excluding excluded: String? = nil) {
        self.excluded = excluded.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        for argument in arguments { add(argument) }
    }

    /// Leaves out files that are the same as an earlier one by `identity`.
    mutating func removeDuplicates(_ identity: (InputFile) -> some Hashable) {
        var seen: Set<AnyHashable> = []
        files.removeAll { !seen.insert(AnyHashable(identity($0))).inserted }
    }

    /// Works on each file in order. Reports what can't be read and each error, then throws the exit code of the first.
    func forEach(_ work: (InputFile) async throws -> Void) async throws {
        for failure in failures { Console.error(failure.line) }
        var first = failures.first
        for file in files {
            do {
                try await work(file)
            } catch {
                let failure = ToolFailure(error, subject: file.path)
                Console.error(failure.line)
                first = first ?? failure
            }
        }
        if let first { throw ExitCode(first.status.rawValue) }
    }

    private mutating func add(_ argument: String) {
        if Self.isFolder(argument) { return addFolder(argument) }
        if FileManager.default.fileExists(atPath: argument) {
            return files.append(InputFile(path: argument, relativePath: Self.name(of: argument)))
        }
        let matches = Self.matches(of: argument)
        if matches.isEmpty {
            failures.append(
                ToolFailure(status: .noInput, line: "\(argument): no such file or folder. Check the path."))
        }
        for match in matches { add(match) }
    }

    private mutating func addFolder(_ folder: String) {
        var names: [String] = []
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            return fail(folder, error)
        }
        for name in names where !name.hasPrefix(".") { addEntry(name, of: folder, in: folder) }
    }

    private mutating func addEntry(_ relativePath: String, of root: String, in folder: String) {
        let path = root.hasSuffix("/") ? root + relativePath : "\(root)/\(relativePath)"
        guard Self.isFolder(path) else {
            if Self.looksLikeImage(path) { files.append(InputFile(path: path, relativePath: relativePath)) }
            return
        }
        let url = URL(fileURLWithPath: path)
        // A link to a folder could lead back to this one.
        let isLink = (try? url.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink) ?? false
        if isLink || url.resolvingSymlinksInPath().path == excluded { return }
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() where !name.hasPrefix(".") {
                addEntry("\(relativePath)/\(name)", of: root, in: path)
            }
        } catch {
            fail(path, error)
        }
    }

    private mutating func fail(_ folder: String, _ error: any Error) {
        failures.append(
            ToolFailure(
                status: .inputOutput,
                line: "\(folder): can't read the folder (\(error.reason)). Check the permissions."))
    }

    /// Whether a path is a pipe or a device: reading it can wait, and works only once.
    static func isStream(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    static func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    private static let extensions: Set = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "webp", "gif", "avif", "heic", "heif", "hif", "jxl",
    ]

    /// Whether a file in a folder is an image by its extension or its first bytes.
    private static func looksLikeImage(_ path: String) -> Bool {
        if isStream(path) { return false }
        return extensions.contains(URL(fileURLWithPath: path).pathExtension.lowercased()) || format(of: path) != nil
    }

    /// The format of a file by its first bytes.
    static func format(of path: String) -> ImageFormat? {
        guard !isStream(path), let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return FileSignature.format(of: (try? file.read(upToCount: FileSignature.byteCount)) ?? Data())
    }

    /// The paths that match a shell pattern, sorted.
    private static func matches(of pattern: String) -> [String] {
        var result = unsafe glob_t()
        defer { unsafe globfree(&result) }
        guard unsafe glob(pattern, 0, nil, &result) == 0 else { return [] }
        return unsafe (0..<Int(result.gl_pathc)).compactMap { index in
            unsafe result.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }
}

extension String {
    /// The text with line breaks and other control characters written as `?`, so that a line of output stays one line.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    }
}
