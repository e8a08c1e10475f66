// swift-tools-version: 6.2.3
import PackageDescription

// There is a library product per module, and no other product. The apps are targets of this package too, so that shared
// targets are compiled only once. For a dependent package, SwiftPM fetches only the dependencies of products, and builds
// only the products that it uses. Scripts/check-architecture compares the dependencies below with the layers in
// ARCHITECTURE.md.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings that optimize a target in debug builds too. Use them only for targets that are in no product, because SwiftPM
/// rejects unsafe flags in a dependency.
let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Returns a target that is used only with a trait, because it needs a C library that many systems don't have.
func optional(_ target: String, trait: String) -> Target.Dependency {
    .target(name: target, condition: .when(traits: [trait]))
}

/// Returns a module that is used only on Linux. Apple's systems have the same, so apps need no C library there.
func onLinux(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(platforms: [.linux])) }

func onApple(_ name: String) -> Target.Dependency {
    .target(name: name, condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst]))
}

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// Returns dependencies that are fetched and built only with a trait.
func products(_ names: String..., package: String, trait: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package, condition: .when(traits: [trait])) }
}

func swiftNIO(trait: String) -> [Target.Dependency] {
    products("NIOCore", "NIOPosix", package: "swift-nio", trait: trait)
        + products("NIOSSL", package: "swift-nio-ssl", trait: trait)
}

let asyncHTTPClient =
    products("AsyncHTTPClient", package: "async-http-client", trait: "AsyncHTTPClient")
    + products("NIOHTTP1", package: "swift-nio", trait: "AsyncHTTPClient") + swiftNIO(trait: "AsyncHTTPClient")

func observability(_ log: String, _ metrics: String, _ tracing: String) -> [Target.Dependency] {
    [(log, "swift-log"), (metrics, "swift-metrics"), (tracing, "swift-distributed-tracing")]
        .flatMap { products($0.0, package: $0.1, trait: "Observability") }
}

/// The reasons of a module for calls that Apple's platforms restrict. With a Swift target, SwiftPM would link all of Foundation.
let privacyManifest = Resource.copy("PrivacyInfo.xcprivacy")

/// Returns the Swift target of a module, with sources in Packages/<name>/Sources/<name>.
func module(
    _ name: String, uses dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, path: "Packages/\(name)/Sources/\(name)", swiftSettings: settings)
}

/// Returns the C shim of a module, the only code that uses setjmp, varargs and the C library's structures.
///
/// `links` has the libraries that are missing in the pkg-config file. With a trait, the shim is empty unless it is enabled.
func shim(
    _ name: String, in module: String, over libraries: String..., links: [String] = [], trait: String? = nil,
    resources: [Resource] = []
) -> Target {
    .target(
        name: name,
        dependencies: libraries.map { library in trait.map { optional(library, trait: $0) } ?? .target(name: library) },
        path: "Packages/\(module)/Sources/\(name)", resources: resources,
        cSettings: trait.map { [.define($0, .when(traits: [$0]))] },
        linkerSettings: links.map { .linkedLibrary($0) })
}

/// Returns a system library that is installed by a Debian package or a Homebrew formula.
func library(_ name: String, in module: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Packages/\(module)/Sources/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

/// Returns a library target of an app.
func appLibrary(
    _ name: String, in app: String, uses dependencies: [Target.Dependency], settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, path: "Apps/\(app)/Sources/\(name)", swiftSettings: settings)
}

/// Returns an executable target of an app.
func command(_ name: String, in app: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Apps/\(app)/Sources/\(name)", swiftSettings: strict)
}

/// Returns a C target of an app that links libraries by name, some of them only with a trait.
func appKernels(
    _ name: String, in app: String, links libraries: String..., withTraits optional: [String: String] = [:]
) -> Target {
    .target(
        name: name, path: "Apps/\(app)/Sources/\(name)",
        cSettings: optional.keys.sorted().map { .define($0, .when(traits: [$0])) },
        linkerSettings: libraries.map { .linkedLibrary($0) }
            + optional.sorted { $0.key < $1.key }.map { .linkedLibrary($0.value, .when(traits: [$0.key])) })
}

/// Returns a test target in Tests/<name>, or in the folder of an app.
func tests(
    _ name: String, in app: String? = nil, of dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
    let folder = app.map { "Apps/\($0)/Tests" } ?? "Tests"
    return .testTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", resources: resources, swiftSettings: strict)
}

/// Returns the tests of a module. They can use ImageCore and the fakes.
func tests(
    of module: String, uses dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    tests(
        "\(module)Tests", of: ["ImageCore", .target(name: module), "ImageTesting"] + dependencies,
        resources: resources)
}

/// Returns a target that several test targets use.
func support(_ name: String, uses dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Support/\(name)", exclude: exclude, swiftSettings: strict)
}

/// Returns a C target for tests, over libraries that are used only with a trait.
func testKernels(
    _ name: String, over libraries: [Target.Dependency] = [], links: [String] = [], trait: String? = nil
) -> Target {
    .target(
        name: name, dependencies: libraries, path: "Tests/Support/\(name)",
        cSettings: trait.map { [.define($0, .when(traits: [$0]))] },
        linkerSettings: links.map { .linkedLibrary($0, trait.map { .when(traits: [$0]) }) })
}

let vocabulary = [
    // Its spans of arrays have lifetimes.
    module("ImageCore", settings: strict + [.enableExperimentalFeature("Lifetimes")])
]

let caching = [
    module("ImageMemoryCaching", uses: ["ImageCore"]),
    module("ImageDiskCaching", uses: ["ImageCore", "CImageDiskCaching"]),
    shim("CImageDiskCaching", in: "ImageDiskCaching", resources: [privacyManifest]),
    module(
        "ImageTieredCaching",
        uses: ["ImageCore"] + products("Crypto", package: "swift-crypto", trait: "CacheEncryption")),
    module(
        "ImageRedisCaching",
        uses: ["ImageCore", optional("CImageRedisCaching", trait: "RedisCaching")] + swiftNIO(trait: "RedisCaching")),
    shim("CImageRedisCaching", in: "ImageRedisCaching", over: "CLibHiredis", "CLibXXHash", trait: "RedisCaching"),
    library("CLibHiredis", in: "ImageRedisCaching", pkgConfig: "hiredis", apt: "libhiredis-dev", brew: "hiredis"),
    library("CLibXXHash", in: "ImageRedisCaching", pkgConfig: "libxxhash", apt: "libxxhash-dev", brew: "xxhash"),
]

let transports = [
    module("ImageTransporting", uses: ["ImageCore", "CImageTransporting", httpTypes]),
    shim("CImageTransporting", in: "ImageTransporting", links: ["z"], resources: [privacyManifest]),
    module("ImageHTTPCaching", uses: ["ImageCore", "ImageTransporting", httpTypes]),
    module("ImageTransportCurl", uses: ["ImageCore", "ImageTransporting", "CImageTransportCurl", httpTypes]),
    shim("CImageTransportCurl", in: "ImageTransportCurl", over: "CLibCurl"),
    library("CLibCurl", in: "ImageTransportCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    module("ImageTransportAsyncHTTPClient", uses: ["ImageCore", "ImageTransporting", httpTypes] + asyncHTTPClient),
    module("ImageTransportURLSession", uses: ["ImageCore", "ImageTransporting", httpTypes]),
]

let codecs = [
    module("ImageDecoding", uses: ["ImageCore", "ImageProcessing"]),
    module("ImageDecodingIsolation", uses: ["ImageCore", "CImageDecodingIsolation"]),
    shim("CImageDecodingIsolation", in: "ImageDecodingIsolation"),
    module("ImageProcessing", uses: ["ImageCore", "CImageProcessing"]),
    shim("CImageProcessing", in: "ImageProcessing"),
    module("ImageColorManagement", uses: ["ImageCore", "CImageColorManagement"]),
    shim("CImageColorManagement", in: "ImageColorManagement", over: "CLibLCMS"),
    library("CLibLCMS", in: "ImageColorManagement", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
    module("ImageCodecJPEG", uses: ["ImageCore", "CImageCodecJPEG"]),
    shim("CImageCodecJPEG", in: "ImageCodecJPEG", over: "CLibJPEG"),
    library("CLibJPEG", in: "ImageCodecJPEG", pkgConfig: "libjpeg", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
    module("ImageCodecPNG", uses: ["ImageCore", "CImageCodecPNG"]),
    shim("CImageCodecPNG", in: "ImageCodecPNG", over: "CLibPNG", "CLibISAL"),
    library("CLibPNG", in: "ImageCodecPNG", pkgConfig: "libpng16", apt: "libpng-dev", brew: "libpng"),
    library("CLibISAL", in: "ImageCodecPNG", pkgConfig: "libisal", apt: "libisal-dev", brew: "isa-l"),
    module("ImageCodecWebP", uses: ["ImageCore", "CImageCodecWebP"]),
    shim("CImageCodecWebP", in: "ImageCodecWebP", over: "CLibWebP", links: ["webpmux"]),
    library("CLibWebP", in: "ImageCodecWebP", pkgConfig: "libwebpdemux", apt: "libwebp-dev", brew: "webp"),
    module("ImageCodecGIF", uses: ["ImageCore", "CImageCodecGIF"]),
    shim("CImageCodecGIF", in: "ImageCodecGIF", over: "CLibGIF"),
    library("CLibGIF", in: "ImageCodecGIF", pkgConfig: "libgif", apt: "libgif-dev", brew: "giflib"),
    module("ImageCodecBMP", uses: ["ImageCore"]),
    module("ImageCodecTIFF", uses: ["ImageCore", optional("CImageCodecTIFF", trait: "TIFF")]),
    shim("CImageCodecTIFF", in: "ImageCodecTIFF", over: "CLibTIFF", trait: "TIFF"),
    library("CLibTIFF", in: "ImageCodecTIFF", pkgConfig: "libtiff-4", apt: "libtiff-dev", brew: "libtiff"),
    module("ImageCodecSVG", uses: ["ImageCore", optional("CImageCodecSVG", trait: "SVG")]),
    shim("CImageCodecSVG", in: "ImageCodecSVG", over: "CLibRSVG", trait: "SVG"),
    library("CLibRSVG", in: "ImageCodecSVG", pkgConfig: "librsvg-2.0", apt: "librsvg2-dev", brew: "librsvg"),
    module("ImageCodecImageIO", uses: ["ImageCore"]),
    module("ImageThumbHash", uses: ["ImageCore"]),
    module("ImageMetadata", uses: ["ImageCore", "ISOBoxes"]),
    // Reads the container of AVIF, HEIF and JPEG XL, for their codecs and for ImageMetadata.
    .target(
        name: "ISOBoxes", dependencies: ["ImageCore"], path: "Packages/ImageDecoding/Sources/ISOBoxes",
        swiftSettings: strict),
    module("ImageCodecAVIF", uses: ["ImageCore", "ISOBoxes", optional("CImageCodecAVIF", trait: "AVIF")]),
    shim("CImageCodecAVIF", in: "ImageCodecAVIF", over: "CLibAVIF", trait: "AVIF"),
    library("CLibAVIF", in: "ImageCodecAVIF", pkgConfig: "libavif", apt: "libavif-dev", brew: "libavif"),
    module("ImageCodecHEIF", uses: ["ImageCore", "ISOBoxes", optional("CImageCodecHEIF", trait: "HEIF")]),
    shim("CImageCodecHEIF", in: "ImageCodecHEIF", over: "CLibHEIF", "CLibDE265", trait: "HEIF"),
    library("CLibHEIF", in: "ImageCodecHEIF", pkgConfig: "libheif", apt: "libheif-dev", brew: "libheif"),
    library("CLibDE265", in: "ImageCodecHEIF", pkgConfig: "libde265", apt: "libde265-dev", brew: "libde265"),
    module("ImageCodecJXL", uses: ["ImageCore", "ISOBoxes", optional("CImageCodecJXL", trait: "JXL")]),
    shim("CImageCodecJXL", in: "ImageCodecJXL", over: "CLibJXL", trait: "JXL"),
    library("CLibJXL", in: "ImageCodecJXL", pkgConfig: "libjxl", apt: "libjxl-dev", brew: "jpeg-xl"),
]

let coordination = [
    module("ImageMonitoring", uses: ["ImageCore"]),
    module("ImageScheduling", uses: ["ImageCore"]),
    module("ImageCoalescing", uses: ["ImageCore"]),
    module("ImageObserving", uses: ["ImageCore"] + observability("Logging", "Metrics", "Tracing")),
    // Its async functions run on the caller's actor (SE-0461), so that a request has fewer switches of executors.
    module(
        "ImageLoading", uses: ["ImageCore", "ImageTransporting", httpTypes],
        settings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
]

let presentation = [
    module("ImagePresenting", uses: ["ImageCore", "ImageLoading"]),
    module("ImagePresentingUIKit", uses: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO"]),
    module("ImagePresentingAppKit", uses: ["ImageCore", "ImagePresenting", "ImageCodecImageIO"]),
    module("ImagePresentingSwiftUI", uses: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO"]),
    module(
        "ImagePresentingGTK",
        uses: ["ImageCore", "ImageLoading", "ImagePresenting", optional("CLibGTK", trait: "GTK")],
        settings: strict + [.defaultIsolation(MainActor.self)]),
    library("CLibGTK", in: "ImagePresentingGTK", pkgConfig: "gtk4", apt: "libgtk-4-dev", brew: "gtk4"),
]

let classicCodecs: [Target.Dependency] = ["ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF"]
let modernCodecs: [Target.Dependency] = ["ImageCodecAVIF", "ImageCodecHEIF", "ImageCodecJXL"]
/// Formats without an encoder.
let decodedFormats: [Target.Dependency] = ["ImageCodecBMP", "ImageCodecTIFF", "ImageCodecSVG"]
let codecTesting: [Target.Dependency] = [
    "ImageDecoding", "ImageProcessing", "ImageContractTesting", "GeneratedImages", "LeakChecking",
]
/// A loader and the parts that work without files, network and codecs.
let loaderParts: [Target.Dependency] = [
    "ImageCore", "ImageTransporting", "ImageLoading", "ImageScheduling", "ImageCoalescing", httpTypes,
]
let curlOnLinux = onLinux("ImageTransportCurl")

let composition = [
    module(
        "ImageLoaderKit",
        uses: [
            "ImageMemoryCaching", "ImageMonitoring", "ImageDiskCaching", "ImageTieredCaching", "ImageHTTPCaching",
            "ImageDecoding", "ImageProcessing", "ImageMetadata", "ImageThumbHash", curlOnLinux,
            onLinux("ImageColorManagement"),
            onLinux("ImageDecodingIsolation"), onApple("ImageTransportURLSession"), onApple("ImageCodecImageIO"),
            "ImageCodecBMP",
            optional("ImageCodecAVIF", trait: "AVIF"),
            optional("ImageCodecHEIF", trait: "HEIF"), optional("ImageCodecJXL", trait: "JXL"),
            optional("ImageCodecTIFF", trait: "TIFF"), optional("ImageCodecSVG", trait: "SVG"),
        ] + loaderParts + ["ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF"].map(onLinux))
]

let proving = [
    module("ImageTesting", uses: ["ImageCore", "ImageTransporting", "ImageLoading", "ImageCoalescing", httpTypes]),
    module(
        "ImageContractTesting",
        uses: [
            "ImageCore", "ImageMemoryCaching", "ImageTransporting", "ImageHTTPCaching", "ImageTesting", httpTypes,
        ]),
]

let suites = [
    tests("ImageCoreTests", of: ["ImageCore", "ImageTesting"]),
    tests(of: "ImageMemoryCaching", uses: ["ImageContractTesting"]),
    tests(of: "ImageDiskCaching", uses: ["ImageContractTesting", "CommandRunning", "CThreadSanitizing"]),
    tests(of: "ImageTieredCaching", uses: ["ImageContractTesting"]),
    tests(
        of: "ImageRedisCaching",
        uses: [
            "ImageContractTesting", "RedisServerProcess", "LeakChecking",
            optional("CImageRedisCaching", trait: "RedisCaching"),
        ] + swiftNIO(trait: "RedisCaching")),
    tests(of: "ImageTransporting", uses: [httpTypes]),
    tests(
        of: "ImageTransportAsyncHTTPClient",
        uses: ["ImageTransporting", "LoopbackServer", httpTypes] + asyncHTTPClient),
    // Each test of this target runs on each HTTP transport.
    tests(
        "HTTPTransportTests",
        of: [
            "ImageTransporting", "HTTPTransports", "LoopbackServer", "CommandRunning", "CNetworkNamespace", httpTypes,
            curlOnLinux, "LeakChecking",
        ]),
    tests(of: "ImageHTTPCaching", uses: ["ImageTransporting", "ImageDiskCaching", httpTypes]),
    tests(of: "ImageDecoding", uses: ["ImageProcessing", "GeneratedImages", "ISOBoxes"]),
    tests(
        of: "ImageDecodingIsolation",
        uses: [
            "ImageCodecPNG", "ImageDecoding", "ImageLoaderKit", "GeneratedImages", "CommandRunning", "isolation-worker",
        ]),
    tests(of: "ImageProcessing"),
    tests(of: "ImageColorManagement", uses: ["ImageProcessing", "TestProfiles", "LeakChecking"]),
    tests(of: "ImageCodecJPEG", uses: ["CImageCodecJPEG", "GeneratedImages", "LeakChecking"]),
    tests(of: "ImageCodecPNG", uses: ["GeneratedImages", "LeakChecking"]),
    tests(of: "ImageCodecWebP", uses: ["CImageCodecWebP", "GeneratedImages", "LeakChecking"]),
    tests(of: "ImageCodecGIF", uses: ["GeneratedImages", "LeakChecking"]),
    tests(
        of: "ImageCodecBMP", uses: ["ImageCodecPNG", "GeneratedImages", "ReferenceFiles"], resources: [.copy("Files")]),
    tests(
        of: "ImageCodecTIFF", uses: ["GeneratedImages", "ReferenceFiles", "LeakChecking"],
        resources: [.copy("Files")]),
    tests(
        of: "ImageCodecSVG", uses: ["ImageContractTesting", "ImageDecoding", "GeneratedImages", "LeakChecking"]),
    tests(of: "ImageThumbHash"),
    tests(of: "ImageMetadata", uses: ["GeneratedImages", "ImageDecoding", "ImageLoaderKit"]),
    tests(of: "ImageCodecAVIF", uses: codecTesting + [optional("CTestAVIF", trait: "AVIF")]),
    tests(of: "ImageCodecHEIF", uses: codecTesting + ["ImageCodecJPEG", optional("CTestHEIF", trait: "HEIF")]),
    tests(
        of: "ImageCodecJXL", uses: ["ImageCodecJPEG", "GeneratedImages", "TestJXL", "TestProfiles", "LeakChecking"]),
    tests(of: "ImageMonitoring", uses: ["ImageContractTesting", "CNetworkNamespace", "LeakChecking"]),
    tests(of: "ImageScheduling"),
    tests(of: "ImageCoalescing"),
    tests(
        "ImageObservingTests",
        of: ["ImageObserving", "ImageTesting"] + loaderParts + observability("Logging", "Metrics", "Tracing")
            + observability("InMemoryLogging", "MetricsTestKit", "InMemoryTracing")),
    tests("ImageLoadingTests", of: ["ImageHTTPCaching", "ImageMemoryCaching", "ImageTesting"] + loaderParts),
    tests("ImagePresentingTests", of: ["ImagePresenting", "ImageTesting", "ImageMemoryCaching"] + loaderParts),
    tests("ImageTestingTests", of: ["ImageCore", "ImageTesting", "ImageTransporting", httpTypes]),
    tests("SimulationTests", of: ["LoaderSimulation"]),
    tests(
        "ContractTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageTesting", "ImageContractTesting", "LoopbackServer",
            "DataTransportFixtures", "ImageHTTPCaching", "ImageMemoryCaching", "ImageDiskCaching", "ImageTieredCaching",
            "ImageDecoding",
            "ImageProcessing", "ImageScheduling", "ImageCoalescing", "HTTPTransports",
            httpTypes,
        ] + classicCodecs + modernCodecs + decodedFormats),
    tests(
        "IntegrationTests",
        of: [
            "ImageLoaderKit", "ImageTesting", "LoopbackServer", "ImageDiskCaching", "ImageDecoding", "ImagePresenting",
            "HTTPTransports", "ImageHTTPCaching", "ImageMemoryCaching", "ImageProcessing", "ImageThumbHash",
            "ImageTieredCaching", "ImageMetadata", "GeneratedImages",
        ] + loaderParts + classicCodecs + modernCodecs),
    tests(
        "RobustnessTests",
        of: [
            "ImageCore", "ImageDecoding", "ImageTesting", "ImageContractTesting", "ImageLoaderKit", "GeneratedImages",
            "LeakChecking",
        ]),
]

/// Some of these are products of Tests/Support/Package.swift too, for packages in Apps. The names don't collide, because
/// no product of this package uses them.
let testSupport = [
    // A server over raw sockets with fault injection, also for the demo server.
    support("LoopbackServer", uses: ["ImageTesting"]),
    // Origins for the contract of transports.
    support(
        "DataTransportFixtures",
        uses: ["LoopbackServer", "ImageContractTesting", "ImageTesting", "ImageTransporting", httpTypes]),
    // Runs commands.
    support(
        "CommandRunning",
        uses: [
            .product(name: "Subprocess", package: "swift-subprocess"),
            .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
        ]),
    // Starts Redis servers.
    support("RedisServerProcess", uses: ["CommandRunning", "LoopbackServer"]),
    // The HTTP transports of this build.
    support("HTTPTransports", uses: ["ImageTransporting", "ImageTransportAsyncHTTPClient", curlOnLinux]),
    // ICC profiles, generated at run time.
    support("TestProfiles", uses: ["CTestProfiles"]),
    testKernels("CTestProfiles", over: ["CLibLCMS"]),
    // A simulation that runs the whole loader one step of one task at a time. Scripts/simulate runs it in release.
    support("LoaderSimulation", uses: ["ImageTesting"] + loaderParts, exclude: ["README.md"]),
    .executableTarget(
        name: "simulate", dependencies: ["LoaderSimulation"], path: "Tests/Support/simulate", swiftSettings: strict),
    // Small files in each format, written by the encoders and by builders of the codec tests.
    support("GeneratedImages", uses: ["ImageCore", "ImageTesting", "TestJXL"] + classicCodecs + modernCodecs),
    // Compares images of other programs with their pixels.
    support(
        "ReferenceFiles",
        uses: [
            "ImageCore", "ImageCodecPNG", "ImageColorManagement", "ImageContractTesting", "ImageDecoding",
            "ImageTesting",
        ], exclude: ["make-files.py"]),
    // Write images in codings that the encoders don't offer. Empty without the traits.
    testKernels("CTestAVIF", over: [optional("CLibAVIF", trait: "AVIF")], trait: "AVIF"),
    testKernels("CTestHEIF", over: [optional("CLibHEIF", trait: "HEIF")], links: ["x265"], trait: "HEIF"),
    support("TestJXL", uses: ["ImageCore", optional("CTestJXL", trait: "JXL")]),
    testKernels("CTestJXL", over: [optional("CLibJXL", trait: "JXL")], trait: "JXL"),
    support("LeakChecking", uses: ["CAllocations", "ImageCore", "ImageDecoding", "GeneratedImages"]),
    testKernels("CAllocations"),
    // A worker of ImageDecodingIsolation whose decoder attacks its parent.
    .executableTarget(
        name: "isolation-worker",
        dependencies: [
            "ImageCore", "ImageCodecPNG", "ImageDecoding", "ImageDecodingIsolation", "ImageLoaderKit", "CHostileCalls",
        ],
        path: "Tests/Support/isolation-worker", swiftSettings: strict),
    testKernels("CHostileCalls"),
    // Creates a network namespace for one test.
    testKernels("CNetworkNamespace"),
    // Annotations that let the thread sanitizer understand Mutex.
    testKernels("CThreadSanitizing"),
]

let imageload = [
    command("imageload", in: "imageload", uses: ["ImageLoadTool", "ImageLoaderKit", "CImageLoadTool"]),
    appKernels("CImageLoadTool", in: "imageload", links: "jpeg", "deflate"),
    appLibrary(
        "ImageLoadTool", in: "imageload",
        uses: [
            "ImageCore", "ImageDecoding", "ImageProcessing", "ImageLoading", "ImageLoaderKit", "ImageDiskCaching",
            "ImageHTTPCaching", "ImageTransporting", "ImageObserving", "ImageThumbHash", "ImageMetadata",
            "CImageLoadTool", onLinux("ImageCodecJPEG"), onLinux("ImageCodecWebP"), httpTypes, argumentParser,
        ]),
    tests(
        "ImageLoadToolTests", in: "imageload",
        of: [
            "ImageLoadTool", "imageload", "ImageCore", "ImageDecoding", "ImageProcessing", "ImageDiskCaching",
            "ImageLoaderKit", "ImageObserving", "ImageThumbHash", "ImageMetadata", "ImageTransporting",
            "LoopbackServer", "CommandRunning", "GeneratedImages", argumentParser,
        ]),
]

let feedServer = [
    command(
        "feed-server", in: "FeedServer",
        uses: ["FeedOrigin", "LoopbackServer", "ImageCore", argumentParser] + classicCodecs),
    // Optimized, because drawing the images would otherwise take ten times as long in the tests.
    appLibrary(
        "FeedOrigin", in: "FeedServer",
        uses: ["ImageCore", "ImageThumbHash", "ImageTransporting", "LoopbackServer"], settings: optimized),
    tests(
        "FeedOriginTests", in: "FeedServer",
        of: ["FeedOrigin", "LoopbackServer", "ImageCore", "ImageThumbHash", "ImageTesting"] + classicCodecs),
]

let photoFeed = [
    appLibrary("PhotoFeedModel", in: "PhotoFeed", uses: ["ImageCore", "ImageLoading", "ImageThumbHash"]),
    tests(
        "PhotoFeedModelTests", in: "PhotoFeed",
        of: ["PhotoFeedModel", "ImageCore", "ImageLoading", "ImageTesting", "ImageThumbHash", "ImageTransporting"]),
]

let benchmarks = [
    command(
        "benchmarks", in: "Benchmarks",
        uses: [
            "ImageDecoding", "ImageLoaderKit", "ImageMemoryCaching", "ImageHTTPCaching", "ImageTesting",
            "ImageDiskCaching", "ImageProcessing", "ImageTransportCurl", "CDecodingFloor", "CDiskFloor",
            "CTransportFloor", "EvictionStudy",
        ] + loaderParts + classicCodecs + modernCodecs),
    // A program that has only the loader, so that its memory is that of the loader.
    command(
        "FeedBenchmarks", in: "Benchmarks",
        uses: [
            "ImageCore", "ImageDecoding", "ImageLoading", "ImageLoaderKit", "ImageThumbHash", "ImageProcessing",
            "ImageCodecPNG", "PhotoFeedModel", "CTransportFloor",
        ]),
    appLibrary("EvictionStudy", in: "Benchmarks", uses: ["ImageMemoryCaching", "ImageTesting"]),
    tests("EvictionStudyTests", in: "Benchmarks", of: ["ImageMemoryCaching", "ImageTesting", "EvictionStudy"]),
    appKernels(
        "CDecodingFloor", in: "Benchmarks", links: "jpeg", "png", "webp", "webpdemux", "gif",
        withTraits: ["AVIF": "avif", "HEIF": "heif", "JXL": "jxl"]),
    .target(name: "CDiskFloor", path: "Apps/Benchmarks/Sources/CDiskFloor"),
    appKernels("CTransportFloor", in: "Benchmarks"),
]

let modules = [vocabulary, caching, transports, codecs, coordination, presentation, composition, proving].flatMap { $0 }

let package = Package(
    name: "swift-image-loading",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.filter { $0.name.hasPrefix("Image") }.map { .library(name: $0.name, targets: [$0.name]) },
    traits: [
        .default(enabledTraits: []),
        .trait(name: "CacheEncryption", description: "AESGCMEncryption in ImageTieredCaching, over swift-crypto."),
        .trait(name: "AsyncHTTPClient", description: "ImageTransportAsyncHTTPClient, over async-http-client."),
        .trait(name: "AVIF", description: "AVIFDecoder and AVIFEncoder in ImageCodecAVIF, over libavif."),
        .trait(name: "HEIF", description: "HEIFDecoder and HEIFEncoder in ImageCodecHEIF, over libheif."),
        .trait(name: "JXL", description: "JXLDecoder and JXLEncoder in ImageCodecJXL, over libjxl."),
        .trait(name: "TIFF", description: "TIFFDecoder in ImageCodecTIFF, over libtiff."),
        .trait(name: "SVG", description: "SVGDecoder in ImageCodecSVG, over librsvg."),
        .trait(name: "GTK", description: "ImagePresentingGTK, over GTK 4."),
        .trait(name: "RedisCaching", description: "ImageRedisCaching, over SwiftNIO and hiredis."),
        .trait(name: "Observability", description: "LoaderInstrumentation in ImageObserving: logs, metrics and spans."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.6.0"),
    ],
    targets: modules + suites + testSupport + imageload + feedServer + photoFeed + benchmarks,
    swiftLanguageModes: [.v6]
)
