// swift-tools-version: 6.2
import PackageDescription

// An inventory of the rooms, by kind. One library product per room; nothing else is published.
// The edges below are the only ones allowed: Scripts/check-architecture compares them with ARCHITECTURE.md's rule.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let applePlatforms: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

/// Only with the trait is swift-crypto fetched and built.
let crypto: Target.Dependency = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["AESGCMSealing"]))

/// Only with the trait are async-http-client and SwiftNIO fetched and built.
func serverSide(_ product: String, package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["AsyncHTTPClient"]))
}

let asyncHTTPClient = [
    serverSide("AsyncHTTPClient", package: "async-http-client"),
    serverSide("NIOCore", package: "swift-nio"),
    serverSide("NIOHTTP1", package: "swift-nio"),
    serverSide("NIOPosix", package: "swift-nio"),
    serverSide("NIOSSL", package: "swift-nio-ssl"),
]

/// A room: Swift sources at Packages/<name>/Sources/<name>.
func room(_ name: String, knows dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Packages/\(name)/Sources/\(name)", swiftSettings: strict)
}

/// The C shim of a room: the only place where setjmp, varargs and raw C structures live.
/// `links` names what the libraries' pkg-config files do not.
func shim(_ name: String, in room: String, over libraries: String..., links: [String] = []) -> Target {
    .target(
        name: name, dependencies: libraries.map { .init(stringLiteral: $0) },
        path: "Packages/\(room)/Sources/\(name)",
        linkerSettings: links.map { .linkedLibrary($0) })
}

/// The inner loops of a room in C, over no library.
func kernels(_ name: String, in room: String) -> Target {
    .target(name: name, path: "Packages/\(room)/Sources/\(name)")
}

/// A system library as Debian's or Homebrew's package installs it.
func library(_ name: String, in room: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Packages/\(room)/Sources/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}

func tests(_ name: String, of dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

let vocabulary = [
    room("ImageCore")
]

let caching = [
    room("ImageMemoryCaching", knows: ["ImageCore", "CImageMemoryCaching"]),
    kernels("CImageMemoryCaching", in: "ImageMemoryCaching"),
    room("ImageDiskCaching", knows: ["ImageCore", "CImageDiskCaching"]),
    kernels("CImageDiskCaching", in: "ImageDiskCaching"),
    room("ImageDataSealing", knows: ["ImageCore", crypto]),
]

let transports = [
    room("ImageTransporting", knows: ["ImageCore", httpTypes]),
    room("ImageHTTPCaching", knows: ["ImageCore", "ImageTransporting", httpTypes]),
    room("ImageTransportCaching", knows: ["ImageCore", "ImageTransporting", "ImageHTTPCaching", httpTypes]),
    room("ImageContentCoding", knows: ["ImageTransporting", "CImageContentCoding", httpTypes]),
    shim("CImageContentCoding", in: "ImageContentCoding", over: "CLibZ"),
    library("CLibZ", in: "ImageContentCoding", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    room(
        "ImageTransportCurl",
        knows: ["ImageCore", "ImageTransporting", "ImageContentCoding", "CImageTransportCurl", httpTypes]),
    shim("CImageTransportCurl", in: "ImageTransportCurl", over: "CLibCurl"),
    library("CLibCurl", in: "ImageTransportCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    room(
        "ImageTransportAsyncHTTPClient",
        knows: ["ImageTransporting", "ImageContentCoding", httpTypes] + asyncHTTPClient),
    room("ImageTransportResuming", knows: ["ImageCore", "ImageTransporting", httpTypes]),
    room("ImageTransportURLSession", knows: ["ImageCore", "ImageTransporting", httpTypes]),
]

let codecs = [
    room("ImageDecoding", knows: ["ImageCore"]),
    room("ImageProcessing", knows: ["ImageCore", "CImageProcessing"]),
    kernels("CImageProcessing", in: "ImageProcessing"),

    room("ImageColorManaging", knows: ["ImageCore", "CImageColorManaging"]),
    shim("CImageColorManaging", in: "ImageColorManaging", over: "CLibLCMS"),
    library("CLibLCMS", in: "ImageColorManaging", pkgConfig: "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),

    room("ImageCodecJPEG", knows: ["ImageCore", "CImageCodecJPEG"]),
    shim("CImageCodecJPEG", in: "ImageCodecJPEG", over: "CLibJPEG"),
    library("CLibJPEG", in: "ImageCodecJPEG", pkgConfig: "libjpeg", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),

    room("ImageCodecPNG", knows: ["ImageCore", "CImageCodecPNG"]),
    shim("CImageCodecPNG", in: "ImageCodecPNG", over: "CLibPNG", "CLibISAL"),
    library("CLibPNG", in: "ImageCodecPNG", pkgConfig: "libpng16", apt: "libpng-dev", brew: "libpng"),
    library("CLibISAL", in: "ImageCodecPNG", pkgConfig: "libisal", apt: "libisal-dev", brew: "isa-l"),

    room("ImageCodecWebP", knows: ["ImageCore", "CImageCodecWebP"]),
    shim("CImageCodecWebP", in: "ImageCodecWebP", over: "CLibWebP", links: ["webpmux"]),
    library("CLibWebP", in: "ImageCodecWebP", pkgConfig: "libwebpdemux", apt: "libwebp-dev", brew: "webp"),

    room("ImageCodecGIF", knows: ["ImageCore", "CImageCodecGIF"]),
    shim("CImageCodecGIF", in: "ImageCodecGIF", over: "CLibGIF"),
    library("CLibGIF", in: "ImageCodecGIF", pkgConfig: "libgif", apt: "libgif-dev", brew: "giflib"),

    room("ImageCodecImageIO", knows: ["ImageCore"]),
]

let coordination = [
    room("ImageConnectivity", knows: ["ImageCore"]),
    room("ImageScheduling", knows: ["ImageCore"]),
    room("ImageCoalescing", knows: ["ImageCore"]),
    room("ImageLoading", knows: ["ImageCore", "ImageTransporting", httpTypes]),
]

let presentation = [
    room("ImagePresenting", knows: ["ImageCore", "ImageLoading"]),
    room("ImagePresentingUIKit", knows: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO"]),
    room("ImagePresentingSwiftUI", knows: ["ImageCore", "ImageLoading", "ImagePresenting", "ImageCodecImageIO"]),
]

let composition = [
    room(
        "ImageLoadingDefaults",
        knows: [
            "ImageCore", "ImageMemoryCaching", "ImageDiskCaching", "ImageTransporting", "ImageHTTPCaching",
            "ImageTransportCaching", "ImageTransportResuming", "ImageDecoding", "ImageProcessing", "ImageColorManaging",
            "ImageCodecJPEG",
            "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", "ImageScheduling", "ImageCoalescing", "ImageLoading",
            httpTypes,
            .target(name: "ImageTransportCurl", condition: .when(platforms: [.linux])),
            .target(name: "ImageTransportURLSession", condition: .when(platforms: applePlatforms)),
        ])
]

let proving = [
    room("ImageTesting", knows: ["ImageCore", "ImageTransporting", httpTypes]),
    room(
        "ImageContractTesting",
        knows: ["ImageCore", "ImageTransporting", "ImageHTTPCaching", "ImageTesting", httpTypes]),
]

let suites = [
    tests("ImageCoreTests", of: ["ImageCore"]),
    tests(
        "ImageMemoryCachingTests", of: ["ImageCore", "ImageMemoryCaching", "ImageTesting", "ImageContractTesting"]),
    tests(
        "ImageDiskCachingTests",
        of: ["ImageCore", "ImageDiskCaching", "ImageTesting", "ImageContractTesting", "CThreadSanitizing"]),
    tests("ImageTransportingTests", of: ["ImageCore", "ImageTransporting", "ImageTesting", httpTypes]),
    tests("ImageContentCodingTests", of: ["ImageTransporting", "ImageContentCoding", httpTypes]),
    tests(
        "ImageTransportAsyncHTTPClientTests",
        of: ["ImageTransporting", "ImageTransportAsyncHTTPClient", "LoopbackServer", httpTypes] + asyncHTTPClient),
    // Every test of this one runs on each transport for HTTP.
    tests(
        "HTTPTransportTests",
        of: [
            "ImageTransporting", "HTTPTransports", "LoopbackServer", httpTypes,
            .target(name: "ImageTransportCurl", condition: .when(platforms: [.linux])),
        ]),
    tests(
        "ImageTransportResumingTests",
        of: ["ImageCore", "ImageTransporting", "ImageTransportResuming", "ImageTesting", httpTypes]),
    tests("ImageHTTPCachingTests", of: ["ImageTransporting", "ImageHTTPCaching", httpTypes]),
    tests(
        "ImageTransportCachingTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageHTTPCaching", "ImageTransportCaching", "ImageDiskCaching",
            "ImageTesting", httpTypes,
        ]),
    tests("ImageDecodingTests", of: ["ImageCore", "ImageDecoding", "ImageProcessing", "ImageTesting"]),
    tests("ImageProcessingTests", of: ["ImageCore", "ImageProcessing", "ImageTesting"]),
    tests("ImageColorManagingTests", of: ["ImageCore", "ImageColorManaging", "ImageTesting", "TestProfiles"]),
    tests(
        "ImageCodecJPEGTests",
        of: ["ImageCore", "ImageCodecJPEG", "CImageCodecJPEG", "ImageTesting", "GeneratedPictures"]),
    tests("ImageCodecPNGTests", of: ["ImageCore", "ImageCodecPNG", "ImageTesting", "GeneratedPictures"]),
    tests("ImageCodecWebPTests", of: ["ImageCore", "ImageCodecWebP", "ImageTesting", "GeneratedPictures"]),
    tests("ImageCodecGIFTests", of: ["ImageCore", "ImageCodecGIF", "ImageTesting", "GeneratedPictures"]),
    tests("ImageCodecImageIOTests", of: ["ImageCore", "ImageCodecImageIO"]),
    tests(
        "ImageConnectivityTests",
        of: ["ImageCore", "ImageConnectivity", "ImageTesting", "ImageContractTesting", "CNetworkNamespace"]),
    tests("ImageSchedulingTests", of: ["ImageCore", "ImageScheduling", "ImageTesting"]),
    tests("ImageCoalescingTests", of: ["ImageCore", "ImageCoalescing", "ImageTesting"]),
    tests(
        "ImageLoadingTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageHTTPCaching", "ImageTransportCaching", "ImageLoading",
            "ImageTesting", "ImageScheduling", "ImageCoalescing", "ImageMemoryCaching", "StagedLoader", httpTypes,
        ]),
    tests(
        "ImagePresentingTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageLoading", "ImagePresenting", "ImageTesting", "ImageCoalescing",
            "ImageScheduling", "StagedLoader", httpTypes,
        ]),
    tests("SimulationTests", of: ["LoaderSimulation"]),
    tests("ImageDataSealingTests", of: ["ImageCore", "ImageDataSealing"]),
    tests("ImageTestingTests", of: ["ImageCore", "ImageTransporting", "ImageTesting", httpTypes]),
    tests(
        "ContractTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageTesting", "ImageContractTesting", "LoopbackServer",
            "ImageHTTPCaching", "ImageTransportCaching", "TestProfiles", "ImageMemoryCaching", "ImageDiskCaching",
            "ImageDecoding",
            "ImageProcessing",
            "ImageColorManaging",
            "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", "ImageScheduling", "ImageCoalescing",
            "HTTPTransports", httpTypes, "CLibSQLite",
        ]),
    tests(
        "IntegrationTests",
        of: [
            "ImageCore", "ImageTransporting", "ImageLoading", "ImageLoadingDefaults", "ImageTesting", "LoopbackServer",
            "ImageDiskCaching", "ImageDecoding", "ImageTransportResuming", "HTTPTransports",
            "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", httpTypes,
        ]),

    tests(
        "RobustnessTests",
        of: [
            "ImageCore", "ImageTesting", "ImageContractTesting", "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP",
            "ImageCodecGIF", "GeneratedPictures", "CAllocations",
        ]),

    // Not tests but what tests need: a raw-socket server that can misbehave.
    .target(
        name: "LoopbackServer", dependencies: ["ImageTesting"], path: "Tests/Support/LoopbackServer",
        swiftSettings: strict),
    // And the transports that are compiled in.
    .target(
        name: "HTTPTransports",
        dependencies: [
            "ImageTransporting", "ImageTransportAsyncHTTPClient",
            .target(name: "ImageTransportCurl", condition: .when(platforms: [.linux])),
        ],
        path: "Tests/Support/HTTPTransports", swiftSettings: strict),
    // And ICC profiles, made when a test runs.
    .target(
        name: "TestProfiles", dependencies: ["CTestProfiles"], path: "Tests/Support/TestProfiles", swiftSettings: strict
    ),
    .target(name: "CTestProfiles", dependencies: ["CLibLCMS"], path: "Tests/Support/CTestProfiles"),
    // And a loader over fakes, for tests of what stands on a loader.
    .target(
        name: "StagedLoader",
        dependencies: ["ImageCore", "ImageTransporting", "ImageLoading", "ImageTesting", "ImageCoalescing"],
        path: "Tests/Support/StagedLoader", swiftSettings: strict),
    // And the whole loader, one step of one task at a time; Scripts/simulate runs it in release.
    .target(
        name: "LoaderSimulation",
        dependencies: [
            "ImageCore", "ImageTransporting", "ImageLoading", "ImageTesting", "ImageScheduling", "ImageCoalescing",
            httpTypes,
        ],
        path: "Tests/Support/LoaderSimulation", exclude: ["README.md"], swiftSettings: strict),
    .executableTarget(
        name: "simulate", dependencies: ["LoaderSimulation"], path: "Tests/Support/simulate", swiftSettings: strict),
    // And small files of every kind, made by our encoders and by the builders that the codecs' tests have.
    .target(
        name: "GeneratedPictures",
        dependencies: [
            "ImageCore", "ImageTesting", "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF",
        ],
        path: "Tests/Support/GeneratedPictures", swiftSettings: strict),
    .target(name: "CAllocations", path: "Tests/Support/CAllocations"),
    // And a network of a test's own.
    .target(name: "CNetworkNamespace", path: "Tests/Support/CNetworkNamespace"),
    // And what the thread sanitizer needs to understand Mutex.
    .target(name: "CThreadSanitizing", path: "Tests/Support/CThreadSanitizing"),
    // And another store, to show that it fits behind the port of the disk cache.
    .systemLibrary(
        name: "CLibSQLite", path: "Tests/Support/CLibSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
]

let rooms = [vocabulary, caching, transports, codecs, coordination, presentation, composition, proving].flatMap { $0 }

let package = Package(
    name: "swift-image-loading",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: rooms.filter { $0.name.hasPrefix("Image") }.map { .library(name: $0.name, targets: [$0.name]) },
    traits: [
        .default(enabledTraits: []),
        .trait(name: "AESGCMSealing", description: "AESGCMSeal in ImageDataSealing, over swift-crypto."),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport in ImageTransportAsyncHTTPClient, over async-http-client."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    ],
    targets: rooms + suites,
    swiftLanguageModes: [.v6]
)
