// swift-tools-version: 6.2
import PackageDescription

// What the tests of several packages share. The root's manifest has the same folders as targets, because a package that
// depends on others by path can't be used by URL.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let codecs = [
    "ImageCodecJPEG", "ImageCodecPNG", "ImageCodecWebP", "ImageCodecGIF", "ImageCodecAVIF", "ImageCodecHEIF",
    "ImageCodecJXL",
].map(module)

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

func support(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: name, swiftSettings: strict)
}

/// Returns a trait of the root package that is enabled with that of this package.
func same(_ name: String) -> Package.Dependency.Trait { .trait(name: name, condition: .when(traits: [name])) }

let package = Package(
    name: "test-support",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: ["LoopbackServer", "DataTransportFixtures", "CommandRunning", "RedisServerProcess", "GeneratedImages"].map
    {
        .library(name: $0, targets: [$0])
    },
    traits: ["AVIF", "HEIF", "JXL"],
    dependencies: [
        .package(name: "swift-image-loading", path: "../..", traits: [same("AVIF"), same("HEIF"), same("JXL")]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.6.0"),
    ],
    targets: [
        support("LoopbackServer", uses: [module("ImageTesting")]),
        support(
            "DataTransportFixtures",
            uses: [
                "LoopbackServer", module("ImageContractTesting"), module("ImageTesting"), module("ImageTransporting"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        support(
            "CommandRunning",
            uses: [
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
            ]),
        support("RedisServerProcess", uses: ["CommandRunning", "LoopbackServer"]),
        support("GeneratedImages", uses: ["TestJXL", module("ImageCore"), module("ImageTesting")] + codecs),
        support("TestJXL", uses: ["CTestJXL", module("ImageCore")]),
        .target(
            name: "CTestJXL", path: "CTestJXL", cSettings: [.define("JXL", .when(traits: ["JXL"]))],
            linkerSettings: [.linkedLibrary("jxl", .when(traits: ["JXL"]))]),
    ],
    swiftLanguageModes: [.v6]
)
