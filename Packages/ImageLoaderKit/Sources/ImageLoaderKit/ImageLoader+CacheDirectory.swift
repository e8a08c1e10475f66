public import ImageCore
public import ImageLoading

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
        self.init(options.makeConfiguration())
    }

    /// Creates a loader with this package's caches, transports and codecs, and the standard cache directory of the
    /// process.
    ///
    /// See ``CacheDirectory/standard(name:environment:)``. To load without a disk cache, set
    /// ``ImageLoaderOptions/cacheDirectory`` to nil.
    ///
    /// - Parameters:
    ///   - decoders: The formats. To read more, add decoders of other modules: `.standard + [AVIFDecoder()]`.
    ///   - configure: Changes the options before the loader is created.
    /// - Throws: A `CacheDirectoryError`, or the error of `configure`.
    public convenience init(
        decoders: [any ImageDecoder] = .standard, configure: (inout ImageLoaderOptions) throws -> Void = { _ in }
    ) throws {
        try self.init(cacheDirectory: CacheDirectory.standard(), decoders: decoders, configure: configure)
    }
}
