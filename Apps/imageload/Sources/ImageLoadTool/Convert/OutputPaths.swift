import ArgumentParser
import Foundation
import ImageCore

/// Chooses the path of each output, so that no two are the same and no input is overwritten.
struct OutputPaths: Sendable {
    private var paths: [InputFile: String]
    /// The inputs by any of their names.
    private let inputs: Set<[UInt64]>
    /// The inputs that are the outputs of other inputs, because an earlier run wrote them into the same folder.
    private var results: Set<InputFile> = []
    /// The inputs whose outputs get an extension when the format is known.
    private var unknown: Set<InputFile> = []

    /// Creates the paths: the path of each input within its folder, with the extension of the format.
    ///
    /// Inputs that differ only in their extension keep it: `a.jpg.webp`, `a.png.webp`.
    ///
    /// - Parameter folder: The folder of all outputs, or nil for that of each input.
    init(
        _ files: [InputFile], folder: String?, name: NamePattern, format: @escaping (InputFile) -> OutputFormat?
    ) {
        let root = folder.map { $0.hasSuffix("/") ? $0 : "\($0)/" }
        let suffixes = files.map { file in format(file).flatMap(\.fileExtension).map { ".\($0)" } ?? "" }
        func output(_ file: InputFile, _ suffix: String, keepsExtension: Bool) -> String {
            let (parent, last) = Self.parts(of: root == nil ? file.path : file.relativePath)
            let stem = keepsExtension ? last : Self.withoutExtension(last)
            return (root ?? "") + parent + name.name(stem, size: file.variant.result) + suffix
        }
        let plain = zip(files, suffixes).map { output($0, $1, keepsExtension: false) }
        let isItself = zip(files, plain).map { file, path in Self.areSame(file.path, path) }
        let counts = Dictionary(zip(plain, isItself).map { ($0, $1 ? 0 : 1) }, uniquingKeysWith: +)
        let identities = files.map { Self.identity($0.path) }
        inputs = Set(identities.compactMap(\.self))
        paths = Dictionary(zip(files, plain)) { first, _ in first }
        for (index, file) in files.enumerated() {
            if suffixes[index].isEmpty { unknown.insert(file) }
            let isShared = counts[plain[index]] ?? 0 > 1
            if isShared, !isItself[index] { paths[file] = output(file, suffixes[index], keepsExtension: true) }
        }
        let outputs = Set(zip(files, isItself).filter { !$1 }.compactMap { paths[$0.0].flatMap(Self.identity) })
        results = Set(zip(files, identities).filter { $1.map(outputs.contains) ?? false }.map { file, _ in file })
    }

    /// Creates the path of the only output.
    init(_ file: InputFile, path: String) {
        paths = [file: path]
        inputs = Set([Self.identity(file.path)].compactMap(\.self))
    }

    func path(for file: InputFile) -> String { paths[file] ?? file.relativePath }

    /// Whether the path gets an extension when the format is known.
    func lacksExtension(_ file: InputFile) -> Bool { unknown.contains(file) }

    /// Whether an earlier run wrote the input, as the output of another input.
    func isResult(_ file: InputFile) -> Bool { results.contains(file) }

    /// Throws if the path is that of an input.
    func checkOverwriting(_ path: String) throws(ToolFailure) {
        guard let identity = Self.identity(path), inputs.contains(identity) else { return }
        throw ToolFailure(
            status: .usage, line: "\(path): is an input and would be overwritten. Choose another --output.")
    }

    /// The outputs that would be written twice, for inputs of the same name in different folders.
    var conflicts: Set<String> {
        let outputs = paths.filter { !results.contains($0.key) }.values
        return Set(Dictionary(grouping: outputs) { $0 }.filter { $0.value.count > 1 }.keys)
    }

    /// The path of the folder with a slash at its end, or nothing, and the name.
    private static func parts(of path: String) -> (folder: String, name: String) {
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        return (String(path[..<start]), String(path[start...]))
    }

    private static func withoutExtension(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Whether both are paths of the same existing file.
    static func areSame(_ first: String, _ second: String) -> Bool {
        let identity = identity(first)
        return identity != nil && identity == self.identity(second)
    }

    /// The device and number of an existing file, by any of its names.
    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
}

extension OutputFormat {
    /// The usual extension of files. Nil if the format depends on the image.
    var fileExtension: String? {
        switch self {
        case .auto, .original: nil
        default: ImageFormat(rawValue: rawValue).fileExtension
        }
    }

    /// The format of a file, by its extension, else by its first bytes. Nil if it is no image.
    init?(ofFile path: String) {
        if let format = OutputFormat(fileName: path) {
            self = format
        } else {
            self.init(argument: InputFiles.format(of: path)?.rawValue ?? "")
        }
    }

    /// Throws if the extension of a name says that it is a file, and of none of these formats. The name of a folder ends
    /// with a slash, exists, or has no extension that starts with a letter.
    static func checkName(_ path: String, in formats: [OutputFormat]) throws(ValidationError) {
        let name = URL(fileURLWithPath: path).pathExtension
        guard name.first?.isLetter == true, name.count <= 5, !path.hasSuffix("/"), !InputFiles.isFolder(path),
            !formats.contains(where: { $0 == OutputFormat(fileName: path) })
        else { return }
        let known = formats.compactMap(\.fileExtension).joined(separator: ", ")
        throw ValidationError(
            known.isEmpty
                ? "--output \(path) is the name of a file: pass a folder, such as \(path)/"
                : "can't write \(name.uppercased()), as --output \(path) says: use \(known), or \(path)/ for a folder")
    }

    /// The format of a file name, by its extension.
    init?(fileName: String) {
        self.init(argument: URL(fileURLWithPath: fileName).pathExtension.lowercased())
        if self == .auto || self == .original { return nil }
    }
}
