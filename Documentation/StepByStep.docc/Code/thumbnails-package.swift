// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "thumbnails",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "<URL of this repository>", branch: "main"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git",
            from: "2.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "thumbnails",
            dependencies: [
                .product(name: "ImageLoaderKit", package: "swift-image-loading"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
