// swift-tools-version: 6.2
import PackageDescription

// Build with Scripts/fuzz, whose flags instrument every module, including those of the root package.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let codecs = [
    "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", "ImageCodecAVIF", "ImageCodecHEIF",
    "ImageCodecJXL", "ImageCodecBMP", "ImageCodecTIFF", "ImageCodecSVG",
].map(module)

/// The traits whose code is fuzzed.
let traits: Set<Package.Dependency.Trait> = ["AVIF", "HEIF", "JXL", "TIFF", "SVG"]

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzzing", targets: ["fuzzing"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..", traits: traits),
        .package(name: "test-support", path: "../../Tests/Support", traits: ["AVIF", "HEIF", "JXL"]),
    ],
    targets: [
        .executableTarget(
            name: "fuzzing",
            dependencies: [
                "CLibFuzzer", .product(name: "GeneratedImages", package: "test-support"), module("ImageCore"),
                module("ImageDecoding"), module("ImageProcessing"),
                module("ImageColorManagement"), module("ImageContractTesting"), module("ImageMetadata"),
                .product(
                    name: "ImageDecodingIsolation", package: "swift-image-loading",
                    condition: .when(platforms: [.linux])),
            ] + codecs,
            swiftSettings: strict,
            // The default linker of Debian's toolchains fails with an internal error.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]),
        .target(name: "CLibFuzzer"),
    ],
    swiftLanguageModes: [.v6]
)
