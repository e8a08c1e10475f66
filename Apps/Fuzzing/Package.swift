// swift-tools-version: 6.2
import PackageDescription

// A fuzzer only with the flags of Scripts/fuzz, which instrument every module, those of the package in the root too.

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
            // The default linker of Debian's toolchains stops with an internal error.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]),
        .target(name: "CLibFuzzer"),
        // A link to the tests' own target, which the package in the root does not publish.
        .target(
            name: "GeneratedImages", dependencies: [module("ImageCore"), module("ImageTesting")] + codecs,
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
