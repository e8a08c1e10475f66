// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "photos",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "<URL of this repository>", branch: "main", traits: ["GTK"])
    ],
    targets: [
        .executableTarget(
            name: "photos",
            dependencies: [
                .product(name: "ImageLoaderKit", package: "swift-image-loading"),
                .product(name: "ImagePresentingGTK", package: "swift-image-loading"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)])
    ]
)
