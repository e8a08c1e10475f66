// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "photos",
    dependencies: [
        .package(path: "../swift-image-loading"),
        .package(path: "../swift-image-loading/Apps/GtkPhotoFeed"),
    ],
    targets: [
        .executableTarget(
            name: "photos",
            dependencies: [
                .product(name: "GtkImageUI", package: "GtkPhotoFeed"),
                .product(name: "ImageLoaderKit", package: "swift-image-loading"),
                .product(name: "ImagePresenting", package: "swift-image-loading"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)])
    ]
)
