// swift-tools-version: 6.2
import PackageDescription

// The contracts of the parts that the system provides, for a simulator or a Mac. A separate package, because the tests
// of the root need C libraries and start processes. Scripts/check-apple type-checks it on Linux.

func module(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-image-loading") }

let package = Package(
    name: "apple-suites",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        .package(name: "swift-image-loading", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .target(name: "LoopbackServer", dependencies: [module("ImageTesting")], path: "LoopbackServer"),
        .testTarget(
            name: "AppleSuites",
            dependencies: [
                "LoopbackServer", module("ImageLoaderKit"), module("ImageCodecImageIO"), module("ImageMonitoring"),
                module("ImageTransportURLSession"), module("ImageContractTesting"), module("ImageTesting"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)
