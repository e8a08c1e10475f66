import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting

/// What the subcommands that load images have in common.
struct LoadingOptions: ParsableArguments {
    @Argument(help: "URLs (http, https, file, data) or paths; - reads them from standard input, one a line.")
    var urls: [String]

    @Option(help: "Decode to this size, as WxH pixels.")
    var size: PixelSize?

    @Flag(help: "Cover the size and crop, instead of fitting into it.")
    var fill = false

    @Option(help: "Folder of the disk cache.")
    var cache: String?

    @Option(help: "Caches to use: \(ImageCachePolicy.allValueStrings.joined(separator: ", ")).")
    var policy: ImageCachePolicy = .all

    @Flag(help: "Ask the network even if a cache has the image.")
    var reload = false

    @Flag(help: "Never ask the network.")
    var offline = false

    @Option(help: "How urgent: \(RequestPriority.allValueStrings.joined(separator: ", ")).")
    var priority: RequestPriority = .normal

    @Option(help: "Downloads at a time, from 1 to 64.")
    var concurrency = 6

    @Option(name: .customLong("header"), help: "A request header, as \"Name: value\". May be repeated.")
    var headers: [HeaderArgument] = []

    @Option(help: "Seconds without a byte after which a transfer is given up.")
    var timeout: Double = 30

    @Option(help: "How often a failed transfer is tried again.")
    var retries = 2

    @Option(help: "Load everything this many times, in one process.")
    var `repeat` = 1

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    @Flag(help: "One line for each pass instead of one for each image.")
    var summary = false

    func validate() throws {
        guard (1...64).contains(concurrency) else { throw ValidationError("--concurrency takes 1 to 64") }
        guard timeout > 0, timeout <= 86_400 else { throw ValidationError("--timeout takes seconds above 0") }
        guard (0...20).contains(retries) else { throw ValidationError("--retries takes 0 to 20") }
        guard (1...1000).contains(`repeat`) else { throw ValidationError("--repeat takes 1 to 1000") }
        guard !fill || size != nil else { throw ValidationError("--fill needs --size") }
        guard !(reload && offline) else { throw ValidationError("--reload and --offline exclude each other") }
        guard !(json && summary) else { throw ValidationError("--json and --summary exclude each other") }
    }

    /// A loader as the options want it.
    func makeLoader(observer: any ImageLoaderObserver) -> ImageLoader {
        var defaults = ImageLoaderOptions(cacheDirectory: CacheFolder.url(cache))
        defaults.maxDownloads = concurrency
        defaults.maxDownloadsPerHost = concurrency
        defaults.retries = retries
        defaults.observer = observer
        defaults.transferLimits.stallTimeout = .seconds(timeout)
        defaults.transferLimits.connectTimeout = .seconds(min(timeout, 15))
        return defaults.makeLoader()
    }

    /// The addresses, those from standard input in the place of `-`.
    func addresses() -> [String] {
        urls.flatMap { address in
            guard address == "-" else { return [address] }
            var lines: [String] = []
            while let line = readLine() {
                let line = line.trimmingCharacters(in: .whitespaces)
                if !line.isEmpty { lines.append(line) }
            }
            return lines
        }
    }

    func request(for url: URL) -> ImageRequest {
        ImageRequest(
            url: url, target: size.map { ImageTarget($0, mode: fill ? .fill : .fit) }, priority: priority,
            cachePolicy: policy, mode: reload ? .reload : offline ? .onlyIfCached : .standard,
            headers: Dictionary(headers.map { ($0.name, $0.value) }) { _, last in last })
    }

    /// The URL that an address means: as it stands when it has a scheme, else a path.
    static func url(for address: String) throws(Refusal) -> URL {
        if let url = URL(string: address), url.scheme != nil { return url }
        guard FileManager.default.fileExists(atPath: address) else {
            throw Refusal(
                status: .noInput, line: "\(address): neither a URL nor a file. Write http://… or the path of a file.")
        }
        return URL(fileURLWithPath: address)
    }
}

/// Where the disk cache is when nobody says.
enum CacheFolder {
    static func url(_ path: String?) -> URL {
        if let path { return URL(fileURLWithPath: path, isDirectory: true) }
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.cache"
        return URL(fileURLWithPath: base, isDirectory: true).appending(path: "swift-image-loading")
    }
}
