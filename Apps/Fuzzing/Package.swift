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

let codecs = ["ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF"].map(module)

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzzing", targets: ["fuzzing"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "fuzzing",
            dependencies: [
                "CLibFuzzer", "GeneratedImages", module("ImageCore"),
                module("ImageDecoding"), module("ImageProcessing"),
                module("ImageColorManagement"), module("ImageContractTesting"),
            ] + codecs,
            swiftSettings: strict,
            // The default linker of Debian's toolchains fails with an internal error.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]),
        .target(name: "CLibFuzzer"),
        // A symbolic link to a target of the tests, which the root package doesn't publish.
        .target(
            name: "GeneratedImages", dependencies: [module("ImageCore"), module("ImageTesting")] + codecs,
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
