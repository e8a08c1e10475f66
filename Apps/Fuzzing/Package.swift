// swift-tools-version: 6.2
import PackageDescription

// A fuzzer only with the flags of Scripts/fuzz, which instrument every module, the rooms' too.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let codecs = ["ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF"].map(room)

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "fuzzing", targets: ["fuzzing"])],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(name: "Support", path: "../../Tests/Support"),
    ],
    targets: [
        .executableTarget(
            name: "fuzzing",
            dependencies: [
                "CLibFuzzer", .product(name: "GeneratedPictures", package: "Support"), room("ImageCore"),
                room("ImageDecoding"), room("ImageProcessing"),
                room("ImageColorManaging"), room("ImageContractTesting"),
            ] + codecs,
            swiftSettings: strict,
            // The default linker of Debian's toolchains stops with an internal error.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]),
        .target(name: "CLibFuzzer"),
    ],
    swiftLanguageModes: [.v6]
)
