public import ImageCore
public import ImageLoading

// For `Bundle`, also over the stubs on Linux.
#if canImport(FoundationEssentials) && !canImport(ImageIO)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Directories for the disk cache.
public enum CacheDirectory {
    /// Returns the directory for the image cache of an application. The directory may not exist yet.
    ///
    /// On Linux it is `$XDG_CACHE_HOME/<name>/images`, or `~/.cache/<name>/images` if that variable is unset, empty or
    /// relative (XDG Base Directory Specification 0.8). On Apple's platforms it is in the user's caches directory.
    ///
    /// - Parameters:
    ///   - name: The name of the application, a single path component. With nil, the bundle identifier on Apple's
    ///     platforms, and otherwise the name of the process: programs with the same name share the directory.
    ///   - environment: The environment variables; those of the process by default. Only Linux reads them.
    public static func standard(
        name: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> URL {
        #if canImport(ImageIO)
            let caches = URL.cachesDirectory
        #else
            let caches = xdgCacheHome(environment)
        #endif
        return caches.appending(path: name ?? defaultName).appending(path: "images")
    }

    private static var defaultName: String {
        #if canImport(ImageIO)
            Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #else
            ProcessInfo.processInfo.processName
        #endif
    }

    // iOS has no home directory of a user.
    #if !canImport(ImageIO)
        private static func xdgCacheHome(_ environment: [String: String]) -> URL {
            if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") { return URL(filePath: path) }
            // Services may run without HOME. Then it is the directory in the password database.
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
            return (home ?? FileManager.default.homeDirectoryForCurrentUser).appending(path: ".cache")
        }
    #endif
}

extension ImageLoader {
    /// Creates a loader with this package's caches, transports and codecs.
    ///
    /// Create one loader and retain it. Loaders share nothing but the directory of the disk cache.
    public convenience init(_ options: ImageLoaderOptions) { self.init(options.makeParts()) }

    /// Creates a loader with this package's caches, transports and codecs.
    ///
    /// ```swift
    /// let loader = ImageLoader { $0.memoryByteLimit = 50_000_000 }
    /// ```
    ///
    /// Create one loader and retain it. Loaders share nothing but the directory of the disk cache.
    ///
    /// - Parameters:
    ///   - cacheDirectory: The directory of the disk cache; nil for none. By default
    ///     ``CacheDirectory/standard(name:environment:)``, which programs with the same name share: they should name one.
    ///     See ``ImageLoaderOptions/cacheDirectory``.
    ///   - decoders: The formats. With traits, `.all` has more.
    ///   - configure: Changes the options before the loader is created. If that can fail, use `init(_:)`.
    public convenience init(
        cacheDirectory: URL? = CacheDirectory.standard(), decoders: [any ImageDecoder] = .standard,
        configure: (inout ImageLoaderOptions) -> Void = { _ in }
    ) {
        var options = ImageLoaderOptions(cacheDirectory: cacheDirectory)
        options.decoders = decoders
        configure(&options)
        self.init(options)
    }
}
