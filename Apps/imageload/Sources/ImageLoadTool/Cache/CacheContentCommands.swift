import ArgumentParser
import Foundation
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageLoading

struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the cached URLs with their sizes, the last used first.",
        discussion: """
            EXAMPLES
              imageload cache list
              imageload cache list --json
            """)

    private struct Entry: Encodable {
        var url: String
        var bytes: Int
        var lastUse: String
    }

    @OptionGroup var options: CacheOptions

    func run() throws {
        // A key is the URL, followed by digests of the identity and the body.
        let folder = CacheFolder.url(options.cache)
        let stored: [StoredEntry]
        do {
            stored = try StoredEntry.list(in: folder)
        } catch {
            throw ToolFailure(.inaccessible(error.reason), folder: folder.path)
        }
        let entries = Dictionary(grouping: stored) { entry in String(entry.key.prefix { $0 != " " }) }
        let uses = entries.mapValues { $0.map(\.lastUse).max() ?? .distantPast }
        for (url, use) in uses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            let bytes = entries[url]?.reduce(0) { $0 + $1.byteCount } ?? 0
            let entry = Entry(url: url, bytes: bytes, lastUse: use.ISO8601Format())
            let line = "\(ByteCount.text(bytes).leftPadded(9))  \(entry.lastUse)  \(url)"
            try options.printing.print(entry, text: line)
        }
    }
}

struct CacheShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the stored responses of a URL with their headers.",
        discussion: """
            EXAMPLES
              imageload cache show https://example.com/a.jpg
            """)

    @Argument(help: "The URL.")
    var url: String

    @Option(name: .customLong("header"), help: "A request header as \"Name: value\". Can be repeated.")
    var headers: [HeaderArgument] = []

    @OptionGroup var options: CacheOptions

    func run() async throws {
        let request = try CacheExplaining.request(to: url, headers)
        let explanation = await CacheExplaining.explanations(of: request, options.cache).first
        guard let explanation, !explanation.variants.isEmpty else {
            throw ToolFailure(status: .noInput, line: "\(url): is not cached. See 'imageload cache list'.")
        }
        for variant in explanation.variants {
            let report = StoredResponseReport(variant, at: Date())
            try options.printing.print(report, lines: report.lines)
        }
    }
}

struct CacheWarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm", abstract: "Load images into the disk cache.",
        discussion: """
            Downloads what is missing or stale, and decodes nothing but headers.

            EXAMPLES
              imageload cache warm https://example.com/a.jpg
              imageload cache warm - < urls.txt
            """)

    @OptionGroup var options: LoadingOptions

    func run() async throws {
        let session = try LoadSession(options)
        try await session.run { [decoder = session.decoder] loader, _, request, onProgress in
            let loaded = try await loader.data(for: request, onProgress: onProgress)
            return LoadReport.OutputImage(loaded, try decoder.header(of: loaded.data))
        }
    }
}
