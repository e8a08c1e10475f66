import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTransporting

/// The options of subcommands that load images.
struct LoadingOptions: ParsableArguments {
    @Argument(
        help: "URLs (http, https, file, data) or paths. - reads them from standard input, one per line.",
        completion: .file())
    var urls: [String]

    @Option(help: "Decode to this size in pixels: 200, 200x, x200, 200x100 or a name: thumbnail, hd, fullhd, 4k.")
    var size: PixelSize?

    @Flag(help: "Cover the size and crop instead of fitting into it.")
    var fill = false

    @OptionGroup var colors: ColorOptions
    @OptionGroup var limits: LimitOptions

    #if os(Linux)
        @Flag(help: "Decode in worker processes, which can't open files or connect.")
        var isolated = false
    #endif

    @Option(help: "The folder of the disk cache.", completion: .file())
    var cache: String?

    @Option(help: "The caches to use.")
    var policy: ImageCachePolicy = .all

    @Flag(help: "Use the network even if a cache has the image.")
    var reload = false

    @Flag(help: "Never use the network.")
    var offline = false

    @Option(help: "The priority of the requests. Default: normal.")
    var priority: RequestPriority?

    @Option(help: "The number of concurrent downloads from one server, from 1 to 64.")
    var concurrency = 6

    @Option(name: .customLong("header"), help: "A request header as \"Name: value\". Can be repeated.")
    var headers: [HeaderArgument] = []

    @Option(help: "Cancel a transfer after this many seconds without a byte.")
    var timeout: Double = 30

    @Option(help: "The number of retries of a failed transfer, from 0 to 20.")
    var retries = 2

    @Option(help: "Load everything this many times in one process.")
    var `repeat` = 1

    @OptionGroup var printing: OutputOptions

    @Flag(help: "Print one line per pass instead of one per image.")
    var summary = false

    func validate() throws {
        guard (1...64).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 64") }
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout must be above 0 and at most 86,400 seconds")
        }
        guard (0...20).contains(retries) else { throw ValidationError("--retries must be from 0 to 20") }
        guard (1...1000).contains(`repeat`) else { throw ValidationError("--repeat must be from 1 to 1,000") }
        guard !fill || size?.isOpen == false else { throw ValidationError("--fill needs a --size with both sides") }
        guard !(reload && offline) else { throw ValidationError("--reload and --offline can't be combined") }
        guard !(printing.json && summary) else { throw ValidationError("--json and --summary can't be combined") }
    }

    /// Returns the options of a loader.
    func loaderOptions(_ observer: any ImageLoaderObserver) -> ImageLoaderOptions {
        var defaults = ImageLoaderOptions(cacheDirectory: CacheFolder.url(cache))
        defaults.decoders = .all
        defaults.decodingLimits = limits.limits
        #if os(Linux)
            if isolated { defaults.isolation = .workers(defaults.maxDecodes) }
        #endif
        defaults.maxDownloads = concurrency * ServerWindow.servers
        defaults.maxDownloadsPerServer = concurrency
        defaults.retryPolicy.maxRetries = retries
        defaults.observer = observer
        // A command fails without a network. It doesn't wait.
        defaults.connectivityMonitor = nil
        defaults.transferOptions.stallTimeout = .seconds(timeout)
        defaults.transferOptions.connectTimeout = .seconds(min(timeout, 15))
        return defaults
    }

    /// Returns the addresses, with `-` replaced by those from standard input.
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
        var request = ImageRequest(
            url: url, target: size.map { ImageTarget($0, mode: fill ? .fill : .fit) }, priority: priority ?? .normal,
            cachePolicy: policy, mode: reload ? .reload : offline ? .onlyIfCached : .standard,
            headers: headers.fields)
        request.color = colors.output
        return request
    }

    /// Returns the URL of an address. An address without a scheme is a file path.
    static func url(for address: String) throws(ToolFailure) -> URL {
        let url = URL(webAddress: address)
        if InputFiles.isFolder(url?.scheme == "file" ? url?.path ?? address : address) {
            throw ToolFailure(
                status: .noInput,
                line: "\(address): is a folder. Pass the files in it, or see 'imageload convert --help'.")
        }
        if let url { return url }
        guard FileManager.default.fileExists(atPath: address) else {
            throw ToolFailure(
                status: .noInput,
                line: "\(address): neither a URL nor a file. Pass a URL such as http://… or the path of a file.")
        }
        return URL(fileURLWithPath: address)
    }
}

extension [HeaderArgument] {
    /// The header, in which a name that is repeated has all its values. Cookies are separated by semicolons (RFC 6265,
    /// 5.4).
    var fields: HeaderFields {
        reduce(into: [:]) { fields, header in
            let separator = header.name.lowercased() == "cookie" ? "; " : ", "
            let earlier = fields[header.name].map { $0 + separator } ?? ""
            fields[header.name] = earlier + header.value
        }
    }
}

/// Finds the folder of the disk cache.
enum CacheFolder {
    static func url(_ path: String?) -> URL {
        if let path { return URL(fileURLWithPath: path, isDirectory: true) }
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.cache"
        return URL(fileURLWithPath: base, isDirectory: true).appending(path: "swift-image-loading")
    }
}
