import ArgumentParser
import Foundation

/// The files of a subcommand that works on many.
struct InputOptions: ParsableArguments {
    @Argument(help: "Files, folders, patterns, or - for standard input.", completion: .file())
    var inputs: [String] = []

    @Option(help: "A file with a path on each line, or - for standard input.", completion: .file())
    var filesFrom: String?

    @Flag(name: [.customShort("0"), .customLong("null")], help: "The paths of --files-from end with a zero byte.")
    var null = false

    func validate() throws {
        guard !inputs.isEmpty || filesFrom != nil else {
            throw ValidationError("no files: pass files, folders, patterns, or --files-from")
        }
        guard !null || filesFrom != nil else { throw ValidationError("--null needs --files-from") }
    }

    /// Whether standard input is the image.
    var isStandardInput: Bool { inputs == ["-"] && filesFrom == nil }

    /// Returns the files. Reads the list, which can wait for another program.
    ///
    /// - Parameter excluded: A folder that is left out.
    func files(excluding excluded: String? = nil) throws -> InputFiles {
        InputFiles(inputs, listed: try listed, excluding: excluded)
    }

    private var listed: [String] {
        get throws {
            guard let filesFrom else { return [] }
            let data: Data
            do {
                data =
                    try filesFrom == "-"
                    ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: URL(fileURLWithPath: filesFrom))
            } catch {
                throw ToolFailure(
                    status: .noInput, line: "\(filesFrom): can't read the list (\(error.reason)). Check the path.")
            }
            // On Windows, lines end with a carriage return too.
            return data.split(separator: null ? 0 : 0x0A).map { line in
                String(decoding: !null && line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            }.filter { !$0.isEmpty }
        }
    }
}
