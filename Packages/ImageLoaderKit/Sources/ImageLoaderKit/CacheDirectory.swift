public import ImageCore
public import ImageLoading

/// Why a loader has no cache directory.
@nonexhaustive
public enum CacheDirectoryError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// Neither `XDG_CACHE_HOME` nor `HOME` has an absolute path.
    case noHomeDirectory
    /// The directory doesn't exist and can't be created, or a file has its name. The reason is for humans.
    case notCreated(path: String, reason: String)

    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noHomeDirectory: "no cache directory: neither XDG_CACHE_HOME nor HOME is an absolute path"
        case .notCreated(let path, let reason): "the cache directory \(path) can't be created: \(reason)"
        }
    }
}

/// Directories for the disk cache.
public enum CacheDirectory {
    /// Returns the directory for the image cache of an application. The directory may not exist yet.
    ///
    /// On Linux it is `$XDG_CACHE_HOME/<name>/images`, or `$HOME/.cache/<name>/images` if that variable is unset, empty
    /// or relative (XDG Base Directory Specification 0.8). On Apple's platforms it is in the user's caches directory.
    ///
    /// - Parameters:
    ///   - name: The name of the application, a single path component. The name of the process by default.
    ///   - environment: The environment variables; those of the process by default. Only Linux reads them.
    /// - Throws: `.noHomeDirectory` on Linux.
    public static func standard(
        name: String = ProcessInfo.processInfo.processName,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CacheDirectoryError) -> URL {
        #if canImport(ImageIO)
            let caches = URL.cachesDirectory
        #else
            let caches = try xdgCacheHome(environment)
        #endif
        return caches.appending(path: name).appending(path: "images")
    }

    private static func xdgCacheHome(_ environment: [String: String]) throws(CacheDirectoryError) -> URL {
        if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") { return URL(filePath: path) }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHomeDirectory }
        return URL(filePath: home).appending(path: ".cache")
    }

    /// Creates a directory and its parents, unless it exists.
    static func create(_ directory: URL) throws(CacheDirectoryError) {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw .notCreated(path: directory.path, reason: "\(error)")
        }
    }
}

extension ImageLoader {
    /// Creates a loader with this package's caches, transports and codecs.
    ///
    /// ```swift
    /// let loader = try ImageLoader(cacheDirectory: directory) { $0.memoryByteLimit = 50_000_000 }
    /// ```
    ///
    /// Create one loader and retain it. Several loaders and processes can share a directory, but share no other state.
    ///
    /// - Parameters:
    ///   - cacheDirectory: The directory of the disk cache. It is created if it doesn't exist.
    ///   - decoders: The formats. To read more, add decoders of other modules: `.standard + [AVIFDecoder()]`.
    ///   - configure: Changes the options before the loader is created.
    /// - Throws: `CacheDirectoryError.notCreated`, or the error of `configure`.
    public convenience init(
        cacheDirectory: URL, decoders: [any ImageDecoder] = .standard,
        configure: (inout ImageLoaderOptions) throws -> Void = { _ in }
    ) throws {
        var options = ImageLoaderOptions(cacheDirectory: cacheDirectory)
        options.decoders = decoders
        try configure(&options)
        if let directory = options.cacheDirectory { try CacheDirectory.create(directory) }
        self.init(options.makeParts())
    }

    /// Creates a loader like `init(cacheDirectory:decoders:configure:)`, with
    /// ``CacheDirectory/standard(name:environment:)``.
    ///
    /// To load without a disk cache, set ``ImageLoaderOptions/cacheDirectory`` to nil.
    ///
    /// - Throws: A `CacheDirectoryError`, or the error of `configure`.
    public convenience init(
        decoders: [any ImageDecoder] = .standard, configure: (inout ImageLoaderOptions) throws -> Void = { _ in }
    ) throws {
        try self.init(cacheDirectory: CacheDirectory.standard(), decoders: decoders, configure: configure)
    }
}
