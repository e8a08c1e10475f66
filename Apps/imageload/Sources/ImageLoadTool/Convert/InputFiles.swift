import ArgumentParser
import Foundation
import ImageCore

/// A file to work on.
struct InputFile: Hashable, Sendable {
    /// The path by which to read it.
    var path: String
    /// The path within the folder that was given, or the name of a file that was given itself.
    var relativePath: String
    /// Why it can't be read: no file has the path, or it is a folder without permissions.
    var failure: ToolFailure?
    /// The name of the format of an image in a folder, if the tool can't read it.
    var foreign: String?
    /// Which of the results for the file this is for.
    var variant = Variant()

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
    /// All in the order given, with those that can't be read.
    private(set) var all: [InputFile] = []
    private let excluded: String?

    /// Those that can be read.
    var files: [InputFile] { all.filter { $0.failure == nil && $0.foreign == nil } }

    /// - Parameters:
    ///   - arguments: Files, folders and patterns.
    ///   - listed: Files and folders.
    ///   - excluded: A folder that is left out, because the results are written to it.
    init(_ arguments: [String], listed: [String] = [], excluding excluded: String? = nil) {
        self.excluded = excluded.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        for argument in arguments { add(argument) }
        for path in listed { add(path, isPattern: false) }
    }

    /// Puts these files in the place of each file that can be read.
    mutating func replaceReadable(_ replacement: (InputFile) -> [InputFile]) {
        all = all.flatMap { $0.failure == nil && $0.foreign == nil ? replacement($0) : [$0] }
    }

    /// Leaves out files that are the same as an earlier one by `identity`.
    mutating func removeDuplicates(_ identity: (InputFile) -> some Hashable) {
        var seen: Set<AnyHashable> = []
        all.removeAll { !seen.insert(AnyHashable(identity($0))).inserted }
    }

    mutating func remove(where isUnwanted: (InputFile) -> Bool) { all.removeAll(where: isUnwanted) }

    /// Works on each file in order. Reports what can't be read and each error, then throws the exit code of the first.
    func forEach(_ output: OutputOptions, _ work: (InputFile) async throws -> Void) async throws {
        var first: ToolFailure?
        for file in all {
            if let report = file.foreign.map({ FileReport(file: file.path, foreign: $0) }) {
                if let error = report.error, !output.quiet { Console.error(error) }
                if output.json { Console.output(try report.json()) }
                continue
            }
            do {
                if let failure = file.failure { throw failure }
                try await work(file)
            } catch {
                let failure = ToolFailure(error, subject: file.path)
                Console.error(failure.line)
                if output.json { Console.output(try FileReport(file: file.path, failure: failure).json()) }
                first = first ?? failure
            }
        }
        if let first { throw ExitCode(first.status.rawValue) }
    }

    private mutating func add(_ argument: String, isPattern: Bool = true) {
        if Self.isFolder(argument) { return addFolder(argument) }
        if FileManager.default.fileExists(atPath: argument) {
            return all.append(InputFile(path: argument, relativePath: Self.name(of: argument)))
        }
        let count = all.count
        if isPattern, argument.split(separator: "/").contains("**") {
            addDeep(argument)
        } else if isPattern {
            for match in Self.matches(of: argument) { add(match, isPattern: false) }
        }
        if all.count == count {
            fail(argument, ToolFailure(status: .noInput, line: "\(argument): no such file or folder. Check the path."))
        }
    }

    /// Adds the images that match a pattern in which `**` stands for any number of folders, or are in a folder that
    /// matches.
    private mutating func addDeep(_ pattern: String) {
        var names = pattern.split(separator: "/")[...]
        let root = (pattern.hasPrefix("/") ? "/" : "") + names.prefix { $0 != "**" }.joined(separator: "/")
        names = names.drop { $0 != "**" }
        for folder in root.isEmpty ? ["."] : Self.matches(of: root) where Self.isFolder(folder) {
            var found = self
            found.all = []
            found.addFolder(folder)
            all += found.all.filter {
                $0.failure != nil || Self.matches($0.relativePath.split(separator: "/")[...], names)
            }
        }
    }

    private static func matches(_ path: ArraySlice<Substring>, _ pattern: ArraySlice<Substring>) -> Bool {
        guard let name = pattern.first else { return true }
        if name == "**" {
            return path.indices.contains { matches(path[$0...], pattern.dropFirst()) }
        }
        guard let first = path.first else { return false }
        return unsafe fnmatch("\(name)", "\(first)", FNM_PERIOD) == 0 && matches(path.dropFirst(), pattern.dropFirst())
    }

    private mutating func addFolder(_ folder: String) {
        var names: [String] = []
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            return failReading(folder, error)
        }
        for name in names where !name.hasPrefix(".") { addEntry(name, of: folder, in: folder) }
    }

    private mutating func addEntry(_ relativePath: String, of root: String, in folder: String) {
        let path = root.hasSuffix("/") ? root + relativePath : "\(root)/\(relativePath)"
        guard Self.isFolder(path) else {
            if Self.looksLikeImage(path) { return all.append(InputFile(path: path, relativePath: relativePath)) }
            guard let format = ForeignFormat.name(of: path) else { return }
            all.append(InputFile(path: path, relativePath: relativePath, foreign: format))
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
            failReading(path, error)
        }
    }

    private mutating func failReading(_ folder: String, _ error: any Error) {
        fail(
            folder,
            ToolFailure(
                status: .inputOutput,
                line: "\(folder): can't read the folder (\(error.reason)). Check the permissions."))
    }

    private mutating func fail(_ path: String, _ failure: ToolFailure) {
        all.append(InputFile(path: path, relativePath: path, failure: failure))
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

    /// Whether a file in a folder is an image by its extension or its first bytes.
    private static func looksLikeImage(_ path: String) -> Bool {
        if isStream(path) { return false }
        let format = ImageFormat(fileExtension: URL(fileURLWithPath: path).pathExtension) ?? format(of: path)
        return format.map { ForeignFormat.name(of: $0) == nil } ?? false
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
