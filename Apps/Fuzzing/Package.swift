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
    "ImageCodecJXL",
].map(module)

/// The traits of the root package whose code is fuzzed. Each is a condition in the sources of this package too.
let traits = ["AVIF", "HEIF", "JXL"]
let conditions: [SwiftSetting] = traits.map { .define($0) }

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzzing", targets: ["fuzzing"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..", traits: Set(traits.map { .trait(name: $0) }))
    ],
    targets: [
        .executableTarget(
            name: "fuzzing",
            dependencies: [
                "CLibFuzzer", "GeneratedImages", module("ImageCore"),
                module("ImageDecoding"), module("ImageProcessing"),
                module("ImageColorManagement"), module("ImageContractTesting"),
            ] + codecs,
            swiftSettings: strict + conditions,
            // The default linker of Debian's toolchains fails with an internal error.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]),
        .target(name: "CLibFuzzer"),
        // Symbolic links to targets of the tests, which the root package doesn't publish.
        .target(
            name: "GeneratedImages", dependencies: ["TestJXL", module("ImageCore"), module("ImageTesting")] + codecs,
            swiftSettings: strict + conditions),
        .target(
            name: "TestJXL", dependencies: ["CTestJXL", module("ImageCore")], swiftSettings: strict + conditions),
        .target(name: "CTestJXL", cSettings: [.define("JXL")], linkerSettings: [.linkedLibrary("jxl")]),
    ],
    swiftLanguageModes: [.v6]
)
