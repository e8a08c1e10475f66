// swift-tools-version: 6.2
import PackageDescription

// A separate package, because the root package must build without Hummingbird. No package depends on it.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

func support(_ name: String) -> Target.Dependency { .product(name: name, package: "test-support") }

let codecs = [
    "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", "ImageCodecAVIF", "ImageCodecHEIF",
    "ImageCodecJXL", "ImageCodecBMP", "ImageCodecTIFF", "ImageCodecSVG",
].map(module)

/// Returns a trait of the root package that is enabled with one of this package.
func trait(_ name: String, with own: String) -> Package.Dependency.Trait {
    .trait(name: name, condition: .when(traits: [own]))
}

let package = Package(
    name: "image-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "image-server", targets: ["image-server"])
    ],
    traits: [
        .default(enabledTraits: ["Redis"]),
        .trait(name: "Redis", description: "A cache and a lease on Redis or Valkey. Needs hiredis and xxHash."),
        .trait(name: "AVIF", description: "Decodes and encodes AVIF. Needs libavif."),
        .trait(name: "HEIF", description: "Decodes HEIC. Needs libheif and libde265."),
        .trait(name: "JXL", description: "Decodes and encodes JPEG XL. Needs libjxl."),
        .trait(name: "TIFF", description: "Decodes TIFF. Needs libtiff."),
        .trait(name: "SVG", description: "Draws SVG. Needs librsvg."),
    ],
    dependencies: [
        .package(
            name: "swift-image-loading", path: "../..",
            traits: [
                trait("RedisCaching", with: "Redis"), trait("AVIF", with: "AVIF"), trait("HEIF", with: "HEIF"),
                trait("JXL", with: "JXL"), trait("TIFF", with: "TIFF"), trait("SVG", with: "SVG"),
                .trait(name: "Observability"),
            ]),
        .package(name: "test-support", path: "../../Tests/Support"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(
            url: "https://github.com/apple/swift-configuration.git", from: "1.4.0",
            traits: ["JSON", "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "ImageServerKit",
            dependencies: [
                module("ImageCore"), module("ImageLoading"), module("ImageDecoding"), module("ImageProcessing"),
                module("ImageLoaderKit"), module("ImageMemoryCaching"), module("ImageDiskCaching"),
                module("ImageDecodingIsolation"), module("ImageTransporting"), module("ImageTransportCurl"),
                module("ImageHTTPCaching"), module("ImageCoalescing"), module("ImageScheduling"),
                module("ImageThumbHash"), module("ImageMetadata"), module("ImageTieredCaching"),
                module("ImageRedisCaching"), module("ImageObserving"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
            ] + codecs,
            resources: [.embedInCode("Serving/landing-page.html")], swiftSettings: strict),
        .target(
            name: "ImageServing",
            dependencies: [
                "ImageServerKit", module("ImageCore"), module("ImageTransporting"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .target(name: "CAllocator"),
        .executableTarget(
            name: "image-server",
            dependencies: [
                "CAllocator", "ImageServerKit", "ImageServing", module("ImageCore"), module("ImageLoaderKit"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ImageServerKitTests",
            dependencies: [
                "ImageServerKit", "image-server",
                module("ImageCore"), module("ImageLoaderKit"), module("ImageProcessing"), module("ImageTransporting"),
                module("ImageTesting"), module("ImageMetadata"), module("ImageDecoding"),
                module("ImageColorManagement"), module("ImageDecodingIsolation"), module("ImageScheduling"),
                module("ImageCoalescing"),
                module("ImageHTTPCaching"), module("ImageLoading"), support("GeneratedImages"),
                support("CommandRunning"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ] + codecs,
            exclude: ["Clients"], swiftSettings: strict),
        .testTarget(
            name: "ImageServingTests",
            dependencies: [
                "ImageServerKit", "ImageServing", "image-server", support("LoopbackServer"),
                support("RedisServerProcess"),
                support("CommandRunning"), module("ImageCore"), module("ImageLoading"), module("ImageLoaderKit"),
                module("ImageTransporting"),
                module("ImageTransportCurl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + codecs,
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
