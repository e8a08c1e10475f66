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
        .package(name: "test-support", path: "../Support"),
    ],
    targets: [
        .testTarget(
            name: "AppleSuites",
            dependencies: [
                .product(name: "LoopbackServer", package: "test-support"),
                .product(name: "DataTransportFixtures", package: "test-support"), module("ImageLoaderKit"),
                module("ImageCodecImageIO"), module("ImageMonitoring"),
                module("ImageTransportURLSession"), module("ImageContractTesting"), module("ImageTesting"),
            ],
            path: "Tests")
    ],
    swiftLanguageModes: [.v6]
)
