import Foundation
import ImageCore

/// Chooses the path of each output, so that no two are the same and no input is overwritten.
struct OutputPaths: Sendable {
    private let paths: [InputFile: String]

    /// Creates the paths in a folder: the path of each input within its folder, with the extension of the format.
    ///
    /// Inputs that differ only in their extension keep it: `a.jpg.webp`, `a.png.webp`.
    init(_ files: [InputFile], folder: String, format: @escaping (InputFile) -> OutputFormat?) {
        let extensions = files.map { format($0).flatMap(\.fileExtension) }
        let stems = files.map { Self.withoutExtension($0.relativePath) }
        let counts = Dictionary(zip(stems, extensions).map { ("\($0).\($1 ?? "")", 1) }, uniquingKeysWith: +)
        var paths: [InputFile: String] = [:]
        for (file, (stem, suffix)) in zip(files, zip(stems, extensions)) {
            let isShared = counts["\(stem).\(suffix ?? "")"] ?? 0 > 1
            let name = suffix.map { "\(isShared ? file.relativePath : stem).\($0)" } ?? file.relativePath
            paths[file] = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        }
        self.paths = paths
    }

    /// Creates the path of the only output.
    init(_ file: InputFile, path: String) { paths = [file: path] }

    /// Returns the output of an input. Throws if it is the input itself.
    func path(for file: InputFile) throws(ToolFailure) -> String {
        let path = paths[file] ?? file.relativePath
        if Self.identity(path) != nil, Self.identity(path) == Self.identity(file.path) {
            throw ToolFailure(
                status: .usage, line: "\(file.displayPath): would be overwritten. Choose another --output.")
        }
        return path
    }

    /// The outputs that more than one input would have, for inputs of the same name in different folders.
    var conflicts: Set<String> {
        Set(Dictionary(grouping: paths.values) { $0 }.filter { $0.value.count > 1 }.keys)
    }

    private static func withoutExtension(_ path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return path }
        return String(path[..<dot])
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
        case .jpeg: "jpg"
        default: rawValue
        }
    }

    /// The format of a file name, by its extension.
    init?(fileName: String) {
        self.init(argument: URL(fileURLWithPath: fileName).pathExtension.lowercased())
        if self == .auto || self == .original { return nil }
    }
}
