// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "benchmarks", targets: ["benchmarks"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                room("ImageCore"), room("ImageDecoding"), room("ImageLoading"), room("ImageLoadingDefaults"),
                room("ImageMemoryCaching"), room("ImageHTTPCaching"), room("ImageTransportCaching"),
                room("ImageTesting"),
                room("ImageDiskCaching"), room("ImageCodecJPEG"), room("ImageCodecPNG"), room("ImageCodecWebP"),
                room("ImageCodecGIF"), room("ImageProcessing"), room("ImageTransporting"), room("ImageTransportCurl"),
                room("ImageScheduling"), room("ImageCoalescing"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                "CDecodingFloor", "CDiskFloor", "CTransportFloor", "EvictionStudy", "ScrollStudy",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "MemoryBenchmarks", dependencies: [room("ImageCore"), room("ImageMemoryCaching")],
            swiftSettings: strict),
        .target(
            name: "EvictionStudy", dependencies: [room("ImageMemoryCaching"), room("ImageTesting"), "CTraceFile"],
            swiftSettings: strict),
        .target(
            name: "ScrollStudy",
            dependencies: [
                room("ImageCore"), room("ImageLoading"), room("ImageMemoryCaching"), room("ImageTransporting"),
                room("ImageTransportCaching"), room("ImageScheduling"), room("ImageCoalescing"), room("ImageTesting"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(name: "ScrollStudyTests", dependencies: ["ScrollStudy"], swiftSettings: strict),
        .target(name: "CTraceFile", linkerSettings: [.linkedLibrary("z")]),
        .testTarget(
            name: "EvictionStudyTests",
            dependencies: [room("ImageMemoryCaching"), room("ImageTesting"), "EvictionStudy"],
            swiftSettings: strict),
        .target(
            name: "CDecodingFloor",
            linkerSettings: ["jpeg", "png", "webp", "webpdemux", "gif"].map { .linkedLibrary($0) }),
        .target(name: "CDiskFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CTransportFloor", linkerSettings: [.linkedLibrary("curl")]),
    ],
    swiftLanguageModes: [.v6]
)
