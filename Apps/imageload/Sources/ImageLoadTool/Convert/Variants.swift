import ArgumentParser
import Foundation
import ImageCore

/// One of the results for a file.
struct Variant: Hashable, Sendable {
    /// The format; nil for that of the file.
    var format: OutputFormat?
    var size: OutputSize?
    /// The size of the result in pixels, where its name or the choice of variants needs it.
    var result: PixelSize?
}

/// The value of `--to`: formats separated by commas.
struct OutputFormats: ExpressibleByArgument, Hashable, Sendable {
    var formats: [OutputFormat]

    init(_ formats: OutputFormat...) { self.formats = formats }

    init?(argument: String) {
        let parsed = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            OutputFormat(argument: String($0))
        }
        formats = parsed.compactMap(\.self)
        guard formats.count == parsed.count, Set(formats).count == formats.count else { return nil }
    }

    var defaultValueDescription: String { formats.map(\.rawValue).joined(separator: ",") }
    static var allValueStrings: [String] { OutputFormat.allValueStrings }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The value of `--sizes`: sizes separated by commas. A number alone is a width.
struct OutputSizes: ExpressibleByArgument, Hashable, Sendable {
    var sizes: [OutputSize]

    init?(argument: String) {
        let parsed = argument.split(separator: ",", omittingEmptySubsequences: false).map { text in
            OutputSize(argument: Int(text) == nil ? String(text) : "\(text)x")
        }
        sizes = parsed.compactMap(\.self)
        guard sizes.count == parsed.count else { return nil }
    }
}

/// The value of `--name`: the name of a result without its extension, such as `{name}-{width}`.
struct NamePattern: ExpressibleByArgument, Hashable, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    init?(argument: String) {
        let rest = ["{name}", "{width}", "{height}"].reduce(argument) { $0.replacing($1, with: "") }
        guard !argument.isEmpty, !argument.hasSuffix("/"), !rest.contains(where: "{}".contains) else { return nil }
        text = argument
    }

    /// Whether names depend on the size of the result.
    var hasSize: Bool { text.contains("{width}") || text.contains("{height}") }

    /// - Parameters:
    ///   - name: The name of the file.
    ///   - size: The size of the result; nil for a file that can't be read.
    func name(_ name: String, size: PixelSize?) -> String {
        // The name can contain what looks like another part.
        text.replacing("{width}", with: "\(size?.width ?? 0)").replacing("{height}", with: "\(size?.height ?? 0)")
            .replacing("{name}", with: name)
    }
}

extension ImageConverter {
    /// Returns the file once for each result: in each format, the sizes in the order given. A file that is smaller than
    /// several sizes gets one result for them, in its own size. A file that can't be read gets one, which will fail.
    ///
    /// - Parameter needsSize: Whether each result's size is needed.
    func variants(
        of file: InputFile, formats: [OutputFormat?], sizes: [OutputSize?], needsSize: Bool
    ) -> [InputFile] {
        func variant(_ format: OutputFormat?, _ size: OutputSize?, result: PixelSize? = nil) -> InputFile {
            var copy = file
            copy.variant = Variant(format: format, size: size, result: result)
            return copy
        }
        var first = variant(formats[0], sizes[0])
        if formats.count * sizes.count == 1, !needsSize { return [first] }
        if InputFiles.isStream(file.path) {
            let line =
                "\(file.path): can be read only once. For several results, sizes in names or a manifest, pass a file."
            first.failure = ToolFailure(status: .usage, line: line)
        }
        guard first.failure == nil, let header = header(of: file) else { return [first] }
        return formats.flatMap { format in
            var results: Set<PixelSize> = []
            return sizes.compactMap { size in
                let result = self.for(Variant(format: format, size: size)).outputSize(for: header.size)
                return results.insert(result).inserted ? variant(format, size, result: result) : nil
            }
        }
    }

    private func header(of file: InputFile) -> ImageHeader? {
        // What fails here fails again, and is reported, when the file is converted.
        (try? FileAccess.readNow(file.path)).flatMap { try? header(of: $0) }
    }
}
